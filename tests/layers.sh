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

# FILE INCLUDE: planted alone, it is refused.
refused()
{
	mkdir -p "$copy/${1%/*}"
	printf '#include %s\n' "$2" >"$copy/$1"
	judged 1 "$1:1: "
	rm "$copy/$1"
}

# FILE TEXT: planted alone, it is a list beside the tables.
listed()
{
	local said
	cp "$copy/$1" "$copy/kept" 2>/dev/null || : >"$copy/kept"
	printf '%s\n' "$2" >>"$copy/$1"
	said=$(bash "$copy/tools/lists.sh" 2>&1)
	if [[ $said != "$1:"*lists* ]]; then
		printf 'a list in %s is not found: %s\n' "$1" "$said"
		status=1
	fi
	mv "$copy/kept" "$copy/$1"
}

listed netan/report/md.c 'const char *const all[] = {"rpc", "sizes"};'
listed netan/cli/commands/check.c 'bool f(char *s) { return is(s, "rpc") || is(s, "bad-endpoint"); }'
listed plot/figure.c 'const char *const both[] = {"capture",
	/* "sizes" */ "xspace"};'

judged 0 ''
refused netan/analyses/sizes/deep/er/planted.c '"netan/engine/drive.h"'
refused netan/analyses/sizes/planted.c '"netan/analyses/rpc/tail.h"'
refused netan/checks/planted.c '"netan/analyses/rpc/tail.h"'
refused netan/methods/late/planted.h '"netan/analyses/analysis.h"'
refused netan/model/joins/planted.c '"netan/stats/samples/sort.h"'
refused netan/engine/session/planted.c '"netan/cli/output.h"'
refused netan/judges/hang/planted.c '<gsl/gsl_cdf.h>'
refused ingest/bytes/planted.h '"ingest/tcp/track.h"'
refused ingest/tcp/planted.c '"netan/model/store.h"'
refused plot/figures/steps/planted.c '"netan/model/transfer.h"'

# A neighbour's door is open.
printf '#include "netan/analyses/slack/slack.h"\n' >"$copy/netan/analyses/sizes/planted.c"
judged 0 ''

# A long file is only remarked on.
yes '' | head -n 801 >"$copy/netan/analyses/sizes/planted.c"
judged 0 'note: netan/analyses/sizes/planted.c: 801 lines'
rm "$copy/netan/analyses/sizes/planted.c"

# A folder that is too full is refused.
for i in {1..26}; do : >"$copy/netan/judges/hang/planted$i.c"; done
judged 1 'netan/judges/hang: '
rm "$copy"/netan/judges/hang/planted*.c
exit $status
