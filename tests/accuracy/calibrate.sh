#!/bin/bash
# Are the odds honest?  Runs three simulated worlds, prints how many of the
# names said with a posterior in a range are right, writes the table into
# docs/methods.md between its marks, and fails when odds lie.
#
#	calibrate.sh ACCURACY SYNC NETAN OUT FLEETS SEED JOBS [FIT]
#
# FIT: also the odds that a session has each cause (a moment estimate: sessions
# in which it is named to those in which it is not, half a session added),
# beside the prior odds of netan/judge/causes.def.
set -e
accuracy=$1 sync=$2 netan=$3 out=$4 fleets=$5 seed=$6 jobs=$7 fit=$8
docs=docs/methods.md

mkdir -p "$out"
rm -f "$out/numbers"
"$accuracy" -n "$fleets" -s "$seed" -j "$jobs" -r "$out/numbers" >"$out/fleets"
"$sync" bench "$netan" -n "$fleets" -s "$seed" -j "$jobs" -r "$out/numbers" \
	>"$out/sync"

honest=0
awk -f tests/accuracy/calibrate.awk \
	-v command="make calibrate FLEETS=$fleets SEED=$seed" \
	"$out/numbers" >"$out/block" || honest=$?
cat "$out/block"

awk -v block="$out/block" '
	/^<!-- end of calibrate -->/ { skip = 0 }
	!skip
	/^<!-- calibrate -->/ {
		skip = 1
		while ((getline line < block) > 0)
			print line
	}' "$docs" >"$out/docs"
cmp -s "$out/docs" "$docs" || cp "$out/docs" "$docs"

if [ -n "$fit" ]; then
	printf '\n%-16s %9s %6s %9s\n' cause named odds causes.def
	awk -F '\t' '
		FNR == NR && /^CAUSE\(/ {
			split($0, part, /, */)
			gsub(/"/, "", part[2])
			prior[part[2]] = part[3]
		}
		FNR == NR { next }
		$2 ~ /^cause / {
			what = substr($2, 7)
			k[what] += $3
			n[what] += $4
		}
		END {
			for (what in n)
				printf "%-16s %4d/%-4d %6.3f %9.2f\n", what,
					k[what], n[what],
					k[what] / (n[what] - k[what] + 0.5),
					prior[what]
		}' netan/judge/causes.def "$out/numbers" | LC_ALL=C sort
fi

[ "$honest" = 0 ] ||
	echo "names are right less often than their posteriors say" >&2
exit "$honest"
