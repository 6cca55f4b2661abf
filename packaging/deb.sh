#!/bin/sh
# O/deb: the Debian packages, built of the source tarball in O.  What they
# depend on to be built is named by dpkg-checkbuilddeps where it is missing.
#
#	packaging/deb.sh VERSION O
set -eu
export LC_ALL=C TZ=UTC
# They are the caller's own build, not this one.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS \
	DESTDIR PREFIX O SAN WERROR 2>/dev/null || :
version=$1
for program in dpkg-buildpackage dh; do
	command -v $program >/dev/null || {
		echo "deb: there is no $program (packages dpkg-dev, debhelper)" >&2
		exit 1
	}
done
rm -rf "$2/deb"
mkdir -p "$2/deb"
cd "$2/deb"
tar -xf "../netan-$version.tar.gz"
cd "netan-$version"
cp -R packaging/debian debian
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
awk -f packaging/changelog.awk -v version="$version" \
	-v state="$(date -r COMMIT +%Y%m%d.%H%M).$(cut -c 1-7 COMMIT)" \
	-v date="$(date -R -r COMMIT)" \
	-v maintainer="$maintainer" CHANGELOG.md >debian/changelog
case ${DEB_BUILD_OPTIONS-} in
*parallel=*) ;;
*) DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} parallel=${JOBS:-$(nproc)}" ;;
esac
export DEB_BUILD_OPTIONS
log=../build.log
if ! dpkg-buildpackage -b -us -uc >$log 2>&1; then
	tail -n 30 $log >&2
	echo "deb: all of it is in $2/deb/build.log" >&2
	exit 1
fi
cd ..
if command -v lintian >/dev/null; then
	lintian --fail-on error --allow-root ./*.changes
else
	echo "deb: not looked at by lintian, which is not here"
fi
rm -rf "netan-$version"
for deb in ./netan*.deb; do
	echo "package: $2/deb/${deb#./}"
done
