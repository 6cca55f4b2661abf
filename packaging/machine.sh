# A Debian 12 below a folder, for scripts that read this file with ".": made
# with debootstrap (minbase), it takes its packages from where this machine
# does, and shares its network.  Root; mounts are seen by what runs there alone,
# and end with it.

machine_possible()
{
	[ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null
}

# The files of this machine that say where Debian's packages are; none where it
# is another release, or DEBIAN_MIRROR names a server.
machine_sources()
{
	[ -z "${DEBIAN_MIRROR-}" ] &&
		grep -q '^VERSION_CODENAME=bookworm' /etc/os-release || return 0
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
		[ ! -s "$f" ] || echo "$f"
	done
}

machine_mirror()
{
	set -- $(machine_sources)
	found=${1:+$(sed -n -e '/^URIs:/s/^URIs: *\([^ ]*\).*/\1/p' \
		-e 's/^deb \(\[[^]]*\] \)*\([^ ]*\).*/\2/p' "$@" | head -n 1)}
	echo "${DEBIAN_MIRROR:-${found:-http://deb.debian.org/debian}}"
}

# ROOT LOG
machine_make()
{
	debootstrap --variant=minbase bookworm "$1" "$(machine_mirror)" \
		>"$2" 2>&1 || { tail "$2"; return 1; }
	for f in $(machine_sources); do
		rm -f "$1/etc/apt/sources.list"
		cp "$f" "$1$f"
	done
	# Proxies, and how servers are asked: no hooks.
	apt-config dump 2>/dev/null | grep '^Acquire::' |
		grep -v '::IndexTargets' \
		>"$1/etc/apt/apt.conf.d/90host" || :
	cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null || :
	machine_run "$1" apt-get -q -q update
}

# ROOT COMMAND...: with nothing of the caller's environment but proxies.
machine_run()
{
	machine_root=$1
	shift
	# shellcheck disable=SC2016  # for the inner shell
	unshare --mount --pid --fork --kill-child sh -eu -c '
		root=$1
		shift
		mount -t proc proc "$root/proc"
		mount -t sysfs sysfs "$root/sys" || :
		mount --rbind /dev "$root/dev"
		exec chroot "$root" "$@"' sh "$machine_root" /usr/bin/env -i \
		PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
		DEBIAN_FRONTEND=noninteractive \
		${http_proxy:+"http_proxy=$http_proxy"} \
		${https_proxy:+"https_proxy=$https_proxy"} \
		${no_proxy:+"no_proxy=$no_proxy"} \
		${ONLY:+"ONLY=$ONLY"} ${JOBS:+"JOBS=$JOBS"} \
		"$@"
}
