# All is as it should be; the same as JSON and CSV.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host h
netan sysctl --root h --fail-on info
echo "exit $?"
netan sysctl --root h --format json | sed -n '/"rto_min_ms"/,/"rx_packets"/p'
netan sysctl --root h --format csv | head -n 4
netan sysctl --root h --format csv --table routes
echo "HyStart is CUBIC's: why another value is no fault stands where 80 columns end"
put h/sys/module/tcp_cubic/parameters/hystart_detect 3
put h/proc/sys/net/ipv4/tcp_congestion_control bbr
COLUMNS=80 netan sysctl --root h | grep 'hystart\|congestion'
echo "more is wanted of sockets"
netan sysctl --root h --bandwidth 100Gbps --rtt 20ms | sed -n 3,8p
