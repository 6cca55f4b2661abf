#!/bin/sh
# The notebook's section "transfer latency": how long transfers take, over
# time and by size.
#
#	01_latency.sh [--parity] [-o DIR] [--no-picture] INPUT...
#
# latency.tsv       count, extremes and quantiles of each class of sizes
# latency_time.tsv  median, p99 and maximum over time
#
# The notebook draws every transfer, in one colour for each byte count: a
# trace with a thousand sizes has a legend of a thousand entries.  Here sizes
# are classes of a power of two, 64 at most.  It also counts messages of a
# slice to itself (--include-loopback adds them) and shows a latency of 0,
# which only says that two clocks differ: netan counts those apart.
set -eu
# shellcheck source=notebooks-equiv/common.sh
. "$(dirname "$0")/common.sh"

"$netan" latency --by size --top 64 "$@" -o "$out/latency.tsv"
"$netan" rpc "$@" -o "$out/latency_time.tsv"
echo "$out/latency.tsv"
echo "$out/latency_time.tsv"
draw latency_time
