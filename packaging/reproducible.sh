#!/bin/sh
# The source tarball twice, and built in two folders: other names, locales, time
# zones, masks, numbers of jobs and build folders, and no compiler cache (ccache
# may write absolute paths of headers as seen from the folder).  Are
# the tarballs, and all that is installed, the same bytes?
#
#	packaging/reproducible.sh VERSION O
set -eu
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL O DESTDIR PREFIX WERROR \
	2>/dev/null || :
export CCACHE_DISABLE=1
tarball=$2/netan-$1.tar.gz
work=$(cd "$2" && pwd)/reproducible
rm -rf "$work"
mkdir -p "$work/one" "$work/two/a longer name"
cp "$tarball" "$work/netan.tar.gz"

# DIR O MAKE...: builds it there, and installs it in DIR.root.
build()
{
	dir=$1 o=$2
	shift 2
	tar -xf "$work/netan.tar.gz" -C "$dir" --strip-components=1
	(cd "$dir" && "$@" O="$o" DESTDIR="$dir.root" PREFIX=/usr install) \
		>"$dir.log" 2>&1 || { tail "$dir.log" >&2; exit 1; }
}
(umask 022; build "$work/one" build env LC_ALL=C TZ=UTC make -j"${JOBS:-1}")
(umask 027; build "$work/two/a longer name" out \
	env LC_ALL=C.UTF-8 TZ=Pacific/Chatham make -j1)
# The unpacked sources make the tarball that they came from.
(cd "$work/one" && sh packaging/dist.sh "$1" build >/dev/null)
cmp "$work/one/build/netan-$1.tar.gz" "$work/netan.tar.gz"

cd "$work"
list() { (cd "$1" && find . -type f -exec sha256sum {} + | sort -k 2); }
list one.root >one.sums
list 'two/a longer name.root' >two.sums
diff one.sums two.sums || {
	echo "reproducible: these differ; both builds stay in $2/reproducible" >&2
	exit 1
}
echo "same bytes: $(wc -l <one.sums) files in two builds, $(sha256sum <one.root/usr/bin/netan | cut -c 1-16)"
cd ..
rm -rf reproducible
