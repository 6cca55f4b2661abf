#!/bin/sh
# The job is slow: is it the network?  Makes two sessions, one in which host-2
# computes slowly and one in which host-3 sends slowly; give the log directory
# of your own job in place of ./compute or ./sender.
set -eu

netan synth --hosts 4 --steps 12 --fault slow-compute:host-2:1.3 -o compute
netan synth --hosts 4 --steps 12 --fault slow-sender:host-3:4 -o sender

# Who do the others wait for, and why?  "Not the network" is an answer.
netan steps compute -o steps.svg -o steps.json
netan steps compute

# In a script: exit status 3 when a host is named.
netan steps --fail-on error -q sender >report.txt || echo "status $?: see report.txt"
cat report.txt

# The network it is: which collectives stall the devices, how much bandwidth
# they would need, and why the slowest executions were late.
netan slack --capacity 100Gbps sender -o slack.svg -o slack.json
netan slack --capacity 100Gbps sender

# The slowest execution of one of them, action by action on all its hosts.
netan slack --collective 'all-reduce.40*' --waterfall sender -o waterfall.svg

# What there is to communicate, and which side of host-3 it is.
netan collectives sender
netan pairs sender
