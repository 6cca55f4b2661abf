#!/bin/sh
# The packages of DIR on a Debian 12 with nothing else: installed, asked for an
# example and its pictures, removed.  Root and debootstrap; DEBIAN_MIRROR names
# another server of Debian's packages.
#
#	packaging/try.sh DIR
set -eu
dir=$(cd "$1" && pwd)
. "$(dirname "$0")/machine.sh"
machine_possible || {
	echo "skip: check-deb: needs root and debootstrap"
	exit 0
}
root=$(mktemp -d "$dir/debian-12.XXXXXX")
chmod 755 "$root"
trap 'rm -rf --one-file-system "$root"' EXIT
trap 'exit 1' INT TERM

machine_make "$root" "$dir/debootstrap.log"
mkdir -p "$root/packages"
cp "$dir"/netan_*.deb "$dir"/netan-mpi_*.deb "$root/packages"

machine_run "$root" sh -eu <<'INSIDE'
say() { echo "* $*"; }
apt-get -q -y install --no-install-recommends /packages/netan_*.deb >/tmp/log 2>&1 ||
	{ cat /tmp/log; exit 1; }
say "installed: $(dpkg-query -W netan)"
netan --version
cd /tmp
rm -rf demo && mkdir demo && cd demo
netan synth -q --hosts 8 --steps 12 --fault slow-sender:host-3:4 -o slow
say 'check'
netan check slow >out
sed -n 1,4p out
grep -q '^suspect: transmit side of host-3' out
say 'timeline'
netan timeline --capacity 100Gbps slow -o bw.svg -o bw.png -o bw.json
ls -s bw.*
netan report slow -q -o report.html
netan help --schema check | head -n 2
test -s /usr/share/man/man1/netan-check.1.gz
test -s /usr/share/netan/schema/check.json
test -s /usr/share/bash-completion/completions/netan
say 'netan-mpi'
apt-get -q -y install --no-install-recommends /packages/netan-mpi_*.deb openmpi-bin >/tmp/log 2>&1 ||
	{ cat /tmp/log; exit 1; }
netan-mpi --version | tail -n 1
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
	mpirun --oversubscribe -n 2 netan-mpi check slow >many
cmp out many
say 'removed'
apt-get -q -y purge netan netan-mpi >/tmp/log 2>&1
[ -z "$(find /usr /etc -name '*netan*')" ]
INSIDE
echo "check-deb: passed"
