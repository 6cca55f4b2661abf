#!/usr/bin/env bash
# tools/layers.sh finds what is planted in a copy of the tree, however deep.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
cp -R netan ingest plot tools "$copy" && mkdir "$copy/tests" || exit 1
status=0

# STATUS TEXT: how the copy is judged, and what is said of it.
judged()
{
	local said got
	said=$(bash "$copy/tools/layers.sh" 2>&1)
	got=$?
	[ "$got" = "$1" ] && [[ $said == *"$2"* ]] && return
	printf 'wanted status %s and "%s", got %s:\n%s\n' "$1" "$2" "$got" "$said"
	status=1
}

# FILE INCLUDE: it is refused for that line.
planted=()
refused()
{
	mkdir -p "$copy/${1%/*}"
	printf '#include %s\n' "$2" >"$copy/$1"
	planted+=("$1:1: ")
}

# FILE TEXT: it is a list beside the tables.
listed()
{
	cp "$copy/$1" "$copy/$1.kept"
	printf '%s\n' "$2" >>"$copy/$1"
	planted+=("$1:")
}

# What TOOL says names each that was planted, and nothing else.
found()
{
	local said one
	said=$(bash "$copy/tools/$1.sh" 2>&1) && said="all is well: $said"
	for one in "${planted[@]}"; do
		[ "$(grep -c -F -e "$one" <<<"$said")" = 1 ] && continue
		printf '%s is not found once in:\n%s\n' "$one" "$said"
		status=1
	done
	if [ "$(grep -c -v '^note: ' <<<"$said")" != ${#planted[@]} ]; then
		printf 'more than was planted:\n%s\n' "$said"
		status=1
	fi
	for one in "${planted[@]}"; do
		one=$copy/${one%%:*}
		if [ -e "$one.kept" ]; then mv "$one.kept" "$one"; else rm "$one"; fi
	done
	planted=()
}

listed netan/report/md.c 'const char *const all[] = {"rpc", "sizes"};'
listed netan/cli/commands/check.c 'bool f(char *s) { return is(s, "rpc") || is(s, "bad-endpoint"); }'
listed plot/figure.c 'const char *const both[] = {"capture",
	/* "sizes" */ "xspace"};'
found lists

refused netan/analyses/sizes/deep/er/planted.c '"netan/engine/drive.h"'
refused netan/analyses/sizes/planted.c '"netan/analyses/rpc/tail.h"'
refused netan/checks/planted.c '"netan/analyses/rpc/tail.h"'
refused netan/methods/late/planted.h '"netan/analyses/analysis.h"'
refused netan/model/joins/planted.c '"netan/stats/samples/sort.h"'
refused netan/engine/session/planted.c '"netan/cli/output.h"'
refused netan/judge/planted.c '"netan/model/transfer.h"'
refused netan/analyses/hlo/planted.c '<gsl/gsl_cdf.h>'
refused ingest/bytes/planted.h '"ingest/tcp/track.h"'
refused ingest/tcp/planted.c '"netan/model/store.h"'
refused plot/figures/steps/planted.c '"netan/model/transfer.h"'
found layers

# A neighbour's door is open, and a long file is only remarked on.
{
	echo '#include "netan/analyses/slack/slack.h"'
	yes '' | head -n 800
} >"$copy/netan/analyses/sizes/planted.c"
judged 0 'note: netan/analyses/sizes/planted.c: 801 lines'
rm "$copy/netan/analyses/sizes/planted.c"

# A folder that is too full is refused.
for i in {1..26}; do : >"$copy/netan/analyses/hang/planted$i.c"; done
judged 1 'netan/analyses/hang: '
rm "$copy"/netan/analyses/hang/planted*.c
exit $status
