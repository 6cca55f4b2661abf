#!/usr/bin/env bash
# Records captures of real TCP stacks and judges what netan says of them.
#
#	SEED=1 JUDGE_ONLY=1 LIST=wrong|all|every ONLY='loss-*' bench.sh NETAN BIN CAPTURES
#
# JUDGE_ONLY takes the captures that are there.  Any other LIST is `wrong`.
set -eu

netan=$1 bin=$2 captures=$3
if [ -z "${JUDGE_ONLY:-}" ]; then
	JOBS='' bash "$(dirname "$0")/record.sh" "$bin" "$captures"
fi
[ -n "$(find "$captures" -name truth.json 2>/dev/null | head -n 1)" ] || exit 0
case ${LIST:-} in
'') list=() ;;
all | every) list=(-l "$LIST") ;;
*) list=(-l wrong) ;;
esac
"$bin/judge" -j "${JOBS:-2}" -c "${ONLY:-*}" ${list[@]+"${list[@]}"} "$netan" "$captures"
