#!/bin/sh
# How much of the network does a job use, and when?
# Makes a session of four hosts with known content, then draws it; give the
# log directory of your own job in place of ./example.
set -eu

netan synth --hosts 4 --steps 8 -o example
netan info example
netan timeline --capacity 100Gbps example -o timeline.svg -o timeline.json

# Only what host-1 receives, in the second training step.
netan timeline --host host-1 --step 1 example -o host-1.svg
