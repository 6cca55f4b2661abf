# Wrong usage, nothing to read, routes that are none.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host h
try() {
	netan sysctl "$@" >out.txt
	echo "exit $?"
	head -n 3 out.txt
}
try h
try --root h --rtt 20ms
try --root h --bandwidth 100Gbps --rtt 20
try --root nowhere
try --root h/routes.txt
mkdir empty
try --root empty
try --root h --nic-before empty
try --root h --routes nowhere
printf 'Kernel IP routing table\nDestination Gateway\n' >table.txt
try --root h --routes table.txt
: >none.txt
try --root h --routes none.txt -q
try --root h --snapshot ''
try --root h -o x.svg
try --root h --table nothing --format csv
