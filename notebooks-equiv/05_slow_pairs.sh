#!/bin/sh
# The notebook's section "slow pairs": between which devices transfers are
# slow.
#
#	05_slow_pairs.sh [--parity] [-o DIR] [--no-picture] [--threshold TIME]
#		INPUT...
#
# slow_pairs.tsv   pair, slow (transfers above the threshold), transfers,
#                  percent of them; the largest share first, with --parity
#                  the largest count, as the notebook has it
# pairs.tsv        every pair against what its sizes let expect
# pairs.txt        who is to blame, if anybody
#
# The notebook counts slow transfers and stops there: the busiest pair, and
# the one with the largest transfers, always look worst.  A share has a
# denominator; `netan pairs` takes size, locality and load into account and
# names nobody without evidence.
set -eu
# shellcheck source=notebooks-equiv/common.sh
. "$(dirname "$0")/common.sh"

# More than the threshold, not as much.
above=$(printf '%s\n' "$threshold" | sed -E \
	-e 's/^([0-9]+)us$/\1.000001us/' -e 's/^([0-9]+)ms$/\1.000000001ms/')
first=-k4,4gr
[ -z "$parity" ] || first=-k2,2nr

work=$out/slow_pairs.work.tsv table=$out/slow_pairs.tsv
trap 'rm -f "$work"' EXIT

"$netan" sizes --by pair --top 100000 "$@" -o "$table"
columns "$table" pair count | sed 's/^/all	/' >"$work"
# A failure here means that there is none.
if "$netan" sizes --by pair --top 100000 --min-latency "$above" "$@" \
	-o "$table" 2>/dev/null; then
	columns "$table" pair count | sed 's/^/slow	/' >>"$work"
fi
printf 'pair\tslow\ttransfers\tpercent\n' >"$table"
awk -F '\t' '
	$1 == "all" { all[$2] = $3; next }
	{ slow[$2] = $3 }
	END { for (p in all)
		printf "%s\t%d\t%d\t%.17g\n", p, slow[p], all[p],
			100 * slow[p] / all[p] }' "$work" |
	sort -t '	' "$first" -k2,2nr -k1,1 >>"$table"
"$netan" pairs "$@" -o "$out/pairs.tsv"
"$netan" pairs "$@" --format table >"$out/pairs.txt"
for f in slow_pairs.tsv pairs.tsv pairs.txt; do
	echo "$out/$f"
done
draw slow_pairs "$threshold"
