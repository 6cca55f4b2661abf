#!/bin/sh
# The notebook's section "throughput": Gbit/s received over time, in windows
# of 1 ms, with a line at what the hosts can receive together where --capacity
# says it.  The notebook draws it at 100 Gbit/s, whatever the number of hosts;
# so does --parity.
#
#	04_throughput.sh [--parity] [-o DIR] [--no-picture] [--capacity GBPS]
#		INPUT...
#
# throughput.tsv   time_s, rx_gbps, capacity_gbps (empty: not given)
#
# In the notebook a latency of 0 gives an infinite rate, and "not a number"
# for all that follows; here such a transfer is an instant in its window.  It
# counts what a slice sends to itself as network; here --include-loopback
# does.  Its rates are samples at 100 points of a window; here they are
# integrals, so that the windows add up to the bytes.
set -eu
# shellcheck source=notebooks-equiv/common.sh
. "$(dirname "$0")/common.sh"

[ -z "$parity" ] || capacity=${capacity:-100}
"$netan" timeline --side rx --bin 1ms "$@" -o "$out/throughput.tsv"
# shellcheck disable=SC2016  # awk
rewrite "$out/throughput.tsv" -v capacity="$capacity" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
		print "time_s", "rx_gbps", "capacity_gbps"; next }
	{ print $at["time_s"], $at["rx_gbps"], capacity }'
echo "$out/throughput.tsv"
draw throughput "$capacity"
