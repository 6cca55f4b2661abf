#!/bin/sh
# An example session of several hosts, its timeline as SVG and PNG, and
# where they are.
#
#	tools/demo.sh NETAN DIR
set -eu
netan=$1
dir=$2

rm -rf "$dir"
mkdir -p "$dir"
"$netan" synth --hosts 4 --steps 10 --step-time 60ms --link-rate 130Gbps \
	--seed 7 -o "$dir/log"
"$netan" timeline --capacity 100Gbps "$dir/log" \
	-o "$dir/timeline.svg" -o "$dir/timeline.png" -o "$dir/timeline.json"
echo
echo "session:   $(dirname "$(find "$dir/log" -name '*.xplane.pb' | head -n 1)")"
echo "pictures:  $dir/timeline.svg"
echo "           $dir/timeline.png"
echo "numbers:   $dir/timeline.json"
