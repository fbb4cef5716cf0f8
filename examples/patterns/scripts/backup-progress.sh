#!/bin/sh
cp "$PROGRESS" progress-backup.md
