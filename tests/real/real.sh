#!/usr/bin/env bash
# Runs real jobs on hosts of our own and asks netan about them.
#
#	ONLY='torch-*' V=1 real.sh NETAN WIRE OUT
#
# OUT/venv gets the packages of requirements.txt; OUT/jobs what the jobs leave.
# Needs root, network namespaces, tcpdump, ethtool and python3 with venv;
# without them, or where the packages are not to be had, it says "skip: ..."
# and ends with 0.  Takes no longer than LIMIT seconds (600).
set -u
export LC_ALL=C TZ=UTC

netan=$1 wire=$2 out=$3
here=$(dirname "$(realpath "$0")")

skip() { echo "skip: check-real: $*"; echo "0 passed, 0 failed, 1 skipped"; exit 0; }

[ "$(id -u)" = 0 ] || skip "needs root, for network namespaces"
for tool in ip tcpdump ethtool sysctl python3; do
	command -v "$tool" >/dev/null || skip "needs $tool"
done
ip netns add "nareal-$$" 2>/dev/null || skip "no network namespaces here"
ip -n "nareal-$$" link add name e0 type veth peer name e1 2>/dev/null
tried=$?
ip netns del "nareal-$$"
[ $tried = 0 ] || skip "no veth devices here"

mkdir -p "$out"
if ! cmp -s "$here/requirements.txt" "$out/venv/installed"; then
	echo "installing packages below $out/venv (once)"
	rm -rf "$out/venv"
	{ python3 -m venv "$out/venv" &&
		timeout 1200 "$out/venv/bin/pip" install -q --no-input \
			-r "$here/requirements.txt"; } >"$out/pip.log" 2>&1 ||
		skip "the packages of tests/real/requirements.txt are not to be had ($out/pip.log)"
	cp "$here/requirements.txt" "$out/venv/installed"
fi
exec timeout -k 30 -s INT "${LIMIT:-600}" "$out/venv/bin/python" -B "$here/real.py" \
	"$netan" "$wire" "$out/jobs" -o "${ONLY:-*}" ${V:+-v}
