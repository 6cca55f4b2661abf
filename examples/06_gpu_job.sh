#!/bin/sh
# A PyTorch job over NCCL is slow, or hangs: which rank is it?  Makes the files of
# 16 ranks on two hosts; give the directory of your own job's traces or dumps in
# place of slow/kineto and hung/recorder.
set -eu

netan synth -q --profile pytorch --hosts 2 --devices 8 --fault late-rank:r5:4ms -o slow
netan synth -q --profile pytorch --hosts 2 --devices 8 --fault stuck-host:r11 -o hung

# What is in the files: ranks, groups, how their operations were joined.
netan info slow/kineto

# Is it the network?  Whom do the others wait for?
netan check slow/kineto
netan steps slow/kineto -o steps.svg -o steps.json

# Who comes last to each collective, and what it takes without the waiting.
netan collectives slow/kineto -o collectives.json
netan collectives slow/kineto

# The job hangs: who never came, and who waits for whom.
netan hang hung/recorder -o hang.json
netan hang hung/recorder

# In a script: exit status 3 when somebody is named.
netan hang --fail-on error -q hung/recorder >report.txt || echo "status $?: see report.txt"
