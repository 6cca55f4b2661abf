#!/usr/bin/env bash
# Refuses memory to netan, allocation by allocation: tests/faults/faults.c says
# what is asked of each run.
#
#	tests/faults.sh DIR [RUNS]   DIR/bin/netan, DIR/tests/faults; of all
#	                             allocations, or RUNS in all
#
# Says "pass NAME: ..." or "FAIL NAME: ..." and what was wrong.  ONLY='check*'
# picks, JOBS run side by side, V=1 says what each run was.
set -eu
export LC_ALL=C
root=$PWD
dir=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/in"
cd "$work/in"
netan=$dir/bin/netan

# Small: what a run takes is mostly its start.
"$netan" synth -q --hosts 4 --slices 2 --devices 1 --steps 4 --collectives 2 \
	--fault slow-sender:2:4 -o slow
"$netan" synth -q --hosts 2 --devices 1 --steps 3 --collectives 2 -o damaged
for f in damaged/plugins/profile/*/host-1.xplane.pb; do
	truncate -s 20000 "$f"
done
"$netan" synth -q --profile pytorch --hosts 2 --devices 2 --steps 4 \
	--fault late-rank:r3:5ms -o torch
"$netan" synth -q --profile pytorch --hosts 2 --devices 2 --steps 4 \
	--fault stuck-host:r3 -o made
mv made/recorder hung
rm -r made
cp "$root"/tests/data/{jax-tpu.trace.json.gz,tcp.pcap} .

"$dir/tests/faults/faults" -j "${JOBS:-2}" -o "${ONLY:-*}" ${2:+-n "$2"} ${V:+-v} \
	"$work" "$netan" "$dir/tests/faults/refuse.so"
