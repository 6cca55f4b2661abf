# The settings of a job's hosts beside its trace: late by the timer that one
# of them has is one finding.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
netan synth -o log --run r --hosts 4 --devices 1 --steps 20 \
	--fault tail:2:0.02 >/dev/null
for k in 0 1 2 3; do host s/host-$k; done
found() {
	netan check log "$@" | grep -E '^[a-z]+ (rpc-latency|host-settings)|host-settings' -A 5 |
		grep -E '(rpc-latency|host-settings)|^Do|^More' |
		sed 's/^dma-registration,.*host-settings.*/passed: host-settings/'
}
echo "all as it should be"
found --host-settings s
echo "host-2 has none"
put s/host-2/routes.txt 'default via 10.0.0.1 dev eth0'
put s/host-2/hostname host-2.pod.example
found --host-settings s
echo "by itself"
found --host-settings s --only host-settings
echo "some hosts"
found --host-settings s/host-0 --host-settings s/host-1
echo "in several ways"
for k in 0 1; do put s/host-$k/proc/sys/net/core/somaxconn 128; done
put s/host-3/proc/sys/net/ipv4/tcp_congestion_control bbr
put s/host-1/sys/class/net/eth1/statistics/tx_carrier_errors 4
found --host-settings s --only host-settings
echo "twice, and none at all"
cp -r s/host-0 s/copy
put s/copy/hostname host-0
netan check log --host-settings s --only host-settings | head -n 1
mkdir empty
netan check log --host-settings empty
echo "exit $?"
netan check log --host-settings nowhere
echo "exit $?"
