#!/bin/sh
# The notebook's section "sizes": how many transfers there are of each size.
#
#	02_sizes.sh [--parity] [-o DIR] [--no-picture] [--label NAME] INPUT...
#
# sizes.tsv   label, bytes, count, percent of the run's transfers
#
# Of several profiles the notebook shows the last one only.  Here every
# --label is a run of its own.
set -eu
# shellcheck source=notebooks-equiv/common.sh
. "$(dirname "$0")/common.sh"

"$netan" sizes --by label "$@" --table distinct -o "$out/sizes.tsv"
# shellcheck disable=SC2016  # awk
rewrite "$out/sizes.tsv" '
	NR == 1 { next }
	{ label[NR] = $1; bytes[NR] = $2; n[NR] = $3; all[$1] += $3 }
	END { print "label", "bytes", "count", "percent"
		for (i = 2; i <= NR; i++)
			printf "%s\t%s\t%s\t%.17g\n", label[i], bytes[i], n[i],
				100 * n[i] / all[label[i]] }'
echo "$out/sizes.tsv"
draw sizes
