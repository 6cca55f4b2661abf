# A capture that runs has no power left: no capabilities, and seccomp holds.
# Its file is whole all the same.
# Not sanitized: such a build has no sandbox
[ "$(id -u)" = 0 ] && [ -d /sys/class/net/lo ] || { echo "skip: not root"; exit 77; }
case $(netan --version -v) in
*", seccomp") ;;
*) echo "skip: $(netan --version -v | sed -n '/^sandbox/p')"; exit 77 ;;
esac
netan capture -q -i lo -o c.pcap --duration 20s >said 2>&1 &
pid=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
	grep -q '^Seccomp:.*2' /proc/$pid/status 2>/dev/null && break
	sleep 0.2
done
[ -s said ] && { echo "skip: $(head -n 1 said)"; exit 77; }
grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/$pid/status
kill -INT $pid
wait $pid
echo "status $?"
netan info -q c.pcap --format csv >/dev/null || echo "no capture"
ls
