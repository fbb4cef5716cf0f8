#!/bin/sh
# Fails once the work has grown.
[ "$(wc -l < work.txt)" -lt 2 ]
