# All is as it should be; the same as JSON and CSV.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host h
netan sysctl --root h --fail-on info
echo "exit $?"
netan sysctl --root h --format json | sed -n '/"rto_min_ms"/,/"rx_packets"/p'
netan sysctl --root h --format csv | head -n 4
netan sysctl --root h --format csv --table routes
echo "more is wanted of sockets"
netan sysctl --root h --bandwidth 100Gbps --rtt 20ms | sed -n 3,8p
