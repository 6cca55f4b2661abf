#!/bin/sh
# Which host is bad?  Makes a session in which host-3 sends slowly, and asks
# all pairs; give the log directory of your own job in place of ./slow.
set -eu

netan synth --hosts 8 --devices 2 --steps 12 --fault slow-sender:host-3:4 -o slow
netan pairs slow -o pairs.svg -o pairs.json
netan pairs slow

# In a script: exit status 3 when a culprit is named.
netan pairs --fail-on error -q slow >report.txt || echo "status $?: see report.txt"

# What its transfers waited for, and when.
netan latency --by host slow
netan rpc slow -o rpc.svg
