cd "$NETAN_ROOT" || exit
try()
{
	netan tcp tests/data/tcp.pcap "$@"
	echo "exit $?"
}
ends() { netan tcp tests/data/tcp.pcap --format csv "$@" | cut -d , -f 1,2; }
try --by host
try --direction both
try --connection 4 -o /dev/null
try --connection 4 -o none.svg
try --connection 0
try --fail-on error -q -o /dev/null
try --fail-on error --host fd00::5 -q -o /dev/null
try --fail-on warning --host 10.0.0.3 -q -o /dev/null
try --fail-on error --host 10.0.0.3 -q -o /dev/null
ends --src '10.*'
ends --dst fd00::6
# By address and port, as the table prints them; a port alone.
ends --src "$(ends | sed -n '2s/,.*//p')"
ends --dst '*:443'
ends --from 600ms
ends --to 1ms
# Who an address is, where --hosts says so.
printf 'address,host\n10.0.0.1,host-0\nfd00::6,host-1\n' >"$TMPDIR/hosts.$$"
netan tcp tests/data/tcp.pcap --hosts "$TMPDIR/hosts.$$" | sed -n 4,7p | cut -c 1-80
rm "$TMPDIR/hosts.$$"
