#!/bin/sh
# What did the packets do?  Makes a capture with lost packets, closed windows
# and slow calls; give your own capture in place of job.pcap.
set -eu

netan synth -q -o job.pcap
netan info job.pcap

# Connections, worst first, and the time-sequence graph of the worst.
netan tcp job.pcap -o tcp.svg
netan tcp job.pcap

# Which calls are slow, and microbursts.
netan rpc --component rpc job.pcap -o rpc.svg -o calls.json
netan timeline --bin 1ms --to 100ms job.pcap -o bursts.svg

# Small enough to keep, without a name or an address.
netan ingest --anonymize -o job.netan job.pcap
netan rpc --component rpc job.netan
