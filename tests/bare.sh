#!/bin/sh
# The two commands of README.md, `make demo` and `make check`, on a Debian 12
# that has make and nothing else: in a clone of what is committed, and in what
# `make dist` packs of it, which has no .git.  Root and debootstrap.
#
#	tests/bare.sh VERSION O
#
# BARE_COPY=tarball   in that copy alone (or clone)
# BARE_ONLY=demo      these targets of make
# BARE_KEEP=1         keeps the machine, O/bare/machine, with its packages and
#                     builds; one that is there is used again
# ONLY and JOBS reach make; DEBIAN_MIRROR names another server of packages.
# All that make says is in O/bare/COPY-TARGET.log; here, what failed or was
# skipped, and the counts.  Ends with 1 where a command failed.
set -eu
cd "$(dirname "$0")/.."
. packaging/machine.sh
machine_possible || {
	echo "skip: check-bare: needs root and debootstrap"
	exit 0
}
version=$1
mkdir -p "$2/bare"
out=$(cd "$2/bare" && pwd)
root=$out/machine
commit=$(git rev-parse --short=12 HEAD)

end() { [ -n "${BARE_KEEP-}" ] || rm -rf --one-file-system "$root"; }
trap end EXIT
trap 'exit 1' INT TERM

if [ ! -d "$root" ]; then
	rm -rf --one-file-system "$root.new"
	mkdir "$root.new"
	chmod 755 "$root.new"
	machine_make "$root.new" "$out/debootstrap.log"
	machine_run "$root.new" apt-get -q -q -y install --no-install-recommends \
		make >"$out/make.log" 2>&1 || { tail "$out/make.log"; exit 1; }
	mv "$root.new" "$root"
fi

# Copies of this commit that are there, are used again with what they built.
copy_of()
{
	to=$root/src/$1-$commit
	[ ! -d "$to" ] || return 0
	rm -rf "$root/src/$1"-*
	mkdir -p "$root/src"
	case $1 in
	clone) git clone -q . "$to" ;;
	tarball)
		sh packaging/dist.sh "$version" "$out" >/dev/null
		mkdir "$to"
		tar -xzf "$out/netan-$version.tar.gz" -C "$to" --strip-components=1 ;;
	*) echo "tests/bare.sh: no such copy: $1" >&2; exit 2 ;;
	esac
}

failed=0
for copy in ${BARE_COPY:-clone tarball}; do
	copy_of "$copy"
	for target in ${BARE_ONLY:-demo check}; do
		echo "* $copy: make $target"
		log=$out/$copy-$target.log rc=0
		machine_run "$root" make -C "/src/$copy-$commit" "$target" \
			>"$log" 2>&1 </dev/null || rc=$?
		grep -E '^(FAIL |skip: |optional, |missing packages: |    |[0-9]+ passed, )' \
			"$log" || :
		[ $rc = 0 ] && continue
		failed=1
		tail -n 5 "$log"
		echo "FAIL $copy: make $target: exit status $rc"
	done
done
[ $failed = 0 ] && echo "check-bare: passed"
exit $failed
