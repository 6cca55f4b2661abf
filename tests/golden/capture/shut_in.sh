# A capture that runs has no power left: no capabilities, and seccomp holds.
# Its file is whole all the same.
# Not sanitized: such a build has no sandbox
[ "$(id -u)" = 0 ] && [ -d /sys/class/net/lo ] || { echo "skip: not root"; exit 77; }
case $(netan --version -v) in
*", seccomp") ;;
*) echo "skip: $(netan --version -v | sed -n '/^sandbox/p')"; exit 77 ;;
esac
netan capture -q -i lo -o c.pcap --duration 600s >said 2>&1 &
pid=$!
i=0
while [ $((i += 1)) -lt 600 ] && [ ! -s said ]; do
	grep -q '^Seccomp:.*2' /proc/$pid/status 2>/dev/null && break
	sleep 0.1
done
[ -s said ] && { echo "skip: $(head -n 1 said)"; exit 77; }
grep -E '^(CapPrm|CapEff|NoNewPrivs|Seccomp):' /proc/$pid/status
kill -INT $pid
wait $pid
echo "status $?"
netan info -q c.pcap --format csv >/dev/null || echo "no capture"
ls
