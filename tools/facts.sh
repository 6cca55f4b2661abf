#!/usr/bin/env bash
# Every fact of facts.def is stated somewhere: a row that no code uses would be
# a sentence that nobody reads.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
status=0
used=$(find netan plot -name '*.c' -exec grep -ohE '\bna_fact_[a-z0-9_]+' {} + |
	sort -u)
for id in $(sed -n -E 's/^FACT\(([a-z0-9_]+),.*/\1/p' netan/phrases/facts.def); do
	grep -qx "na_fact_$id" <<<"$used" ||
		{ echo "netan/phrases/facts.def: $id is used nowhere"; status=1; }
done
exit $status
