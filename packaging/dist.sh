#!/bin/sh
# O/netan-VERSION.tar.gz: the sources as they are committed, and in COMMIT of
# which state they are.  The same commit makes the same bytes, dated
# SOURCE_DATE_EPOCH or else as the commit.  Without git (in what was unpacked
# from such a file) the files as they lie there.
#
#	packaging/dist.sh VERSION O
set -eu
export LC_ALL=C TZ=UTC
unset GZIP TAR_OPTIONS 2>/dev/null || :
cd "$(dirname "$0")/.."
name=netan-$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/$name"

if [ -r COMMIT ]; then
	# What is built lies below O, or below build.
	tar -cf - --exclude="./${out#"$PWD/"}" --exclude=./build \
		--exclude=./debian . |
		tar -xf - -C "$work/$name"
	epoch=$(stat -c %Y COMMIT)
elif git rev-parse --verify -q HEAD >/dev/null; then
	git archive HEAD | tar -xf - -C "$work/$name"
	git log -1 --abbrev=12 --date=short-local --format='%h (%cd)' \
		>"$work/$name/COMMIT"
	epoch=$(git log -1 --format=%ct)
	if [ -n "$(git status --porcelain --untracked-files=no)" ]; then
		echo "note: what is not committed is not in it" >&2
	fi
else
	echo "dist: neither a git repository nor a source tarball" >&2
	exit 1
fi

tar --sort=name --mtime="@${SOURCE_DATE_EPOCH:-$epoch}" --owner=0 --group=0 \
	--numeric-owner --mode=u=rwX,go=rX --format=gnu \
	-C "$work" -cf "$work/tar" "$name"
gzip -9n <"$work/tar" >"$work/gz"
mv "$work/gz" "$out/$name.tar.gz"
echo "sources: $2/$name.tar.gz"
