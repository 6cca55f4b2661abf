# Network settings of hosts that are wrong or differ; the whole finding where
# a timer of the trace is one host's minimum timeout.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
netan synth -q -o j --run r --hosts 4 --devices 1 --fault tail:2:0.02
for k in 0 1 2 3; do host s/host-$k; done
put s/host-2/routes.txt 'default via 10.0.0.1 dev eth0'
put s/host-1/proc/sys/net/ipv4/tcp_slow_start_after_idle 1
put s/host-3/proc/sys/net/ipv4/tcp_congestion_control bbr
netan check j --host-settings s | sed -n -E '1p; /(rpc-latency|host-settings): /,/^$/p'
netan check j --host-settings s --only host-settings --fail-on warning -o /dev/null
echo "exit $?"
netan check j --host-settings s --format json | grep -c '"also": "host-settings"'
echo "== snapshots of other hosts"
host t/elsewhere
host t/host-1
netan check j --host-settings t --only host-settings -o /dev/null 2>&1
netan check j --host-settings t --only host-settings --anonymize -o /dev/null 2>&1
