# A snapshot is what was read, and reads the same; nothing is written over.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host h
put h/etc/hostname host-7
put h/etc/passwd 'not ours'
mkfifo h/proc/sys/net/ipv4/tcp_rto_min_us
netan sysctl --root h --routes h/routes.txt --snapshot kept | tail -n 1
(cd kept && find . -type f | grep -v statistics | sort)
netan sysctl --root kept | sed 1d >kept.txt
cat kept/unreadable.txt
netan sysctl --root h | sed 1d | diff - kept.txt && echo same
echo "a route that says nothing: what the kernel takes could not be read"
put kept/routes.txt 'default dev eth0'
netan sysctl --root kept | grep rto_min
netan sysctl --root h --snapshot kept
echo "exit $?"
netan sysctl --root h --snapshot h/etc/hostname/below
echo "exit $?"
mkdir empty
netan sysctl --root h --snapshot empty/ -q | tail -n 1
ls -a | grep tmp
ls empty
echo "the folder of all snapshots need not be there"
netan sysctl --root h --snapshot all/of/host-7 -q | tail -n 1
