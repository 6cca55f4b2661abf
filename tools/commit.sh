#!/bin/sh
# commit.h: which state of the sources is built.  A source tarball has it in
# the file COMMIT (packaging/dist.sh); a clone asks git, where the sources are
# its top, and not something that was unpacked into another repository.
#
#	tools/commit.sh [-t]      (-t: the text alone)
set -eu
cd "$(dirname "$0")/.."

# COMMIT (DATE), and whether the files are still what it says.
asked()
{
	top=$(git rev-parse --show-toplevel 2>/dev/null) || return
	[ "$top" = "$(pwd -P)" ] || return
	text=$(TZ=UTC git log -1 --abbrev=12 --date=short-local \
		--format='%h (%cd)' 2>/dev/null) || return
	changed=$(git --no-optional-locks status --porcelain \
		--untracked-files=no 2>/dev/null)
	echo "$text${changed:+ and changes since}"
}

if [ -r COMMIT ]; then
	text=$(tr -cd '[:alnum:] ().-' <COMMIT)
else
	text=$(asked) || text=unknown
fi
[ "${1-}" != -t ] || { echo "$text"; exit; }
printf '#define NETAN_COMMIT "%s"\n' "$text"
