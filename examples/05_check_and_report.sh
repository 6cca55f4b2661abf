#!/bin/sh
# What is wrong, and what to do?  Makes a session in which host-3 sends slowly,
# and one without a fault; give the log directories of your own job in place of
# ./slow and ./good.
set -eu

netan synth -q --hosts 8 --devices 2 --steps 12 -o good
netan synth -q --hosts 8 --devices 2 --steps 12 --fault slow-sender:host-3:4 -o slow

# The verdict comes first; then findings, evidence, remedies.
netan check slow

# In a script: exit status 3 when something is wrong.
netan check --fail-on error -q slow -o check.json -o check.md || echo "status $?: see check.md"

# One page to attach to a bug report, without names of hosts.
netan report --anonymize slow -o report.html

# Are this host's network settings right?  Snapshots of all hosts explain more;
# here there is one, of the machine that this runs on.
rm -rf snapshots
netan sysctl -q --snapshot snapshots/host-3
netan check -q --host-settings snapshots --only host-settings slow >settings.txt

# Did it help?  Before against after: status 3 where it got worse.
netan diff slow good -o shift.svg -o - --fail-if 'latency.p99>+10%'
