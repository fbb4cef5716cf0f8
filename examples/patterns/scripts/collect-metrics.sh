#!/bin/sh
wc -l < work.txt > metrics.txt
