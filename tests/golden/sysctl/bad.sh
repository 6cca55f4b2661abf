# A host as it comes: what is wrong, what mends it, how bad it is.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host h
put h/hostname host-7
i=h/proc/sys/net/ipv4 c=h/proc/sys/net/core
put $i/tcp_slow_start_after_idle 1
put $i/tcp_no_metrics_save 0
put $i/tcp_max_syn_backlog 512
put $i/tcp_mtu_probing 1
put $i/tcp_rmem '4096 131072 6291456'
put $i/tcp_wmem '4096 16384 4194304'
put $i/tcp_rto_min_us 200000
put $c/somaxconn 128
put $c/optmem_max 20480
put $c/rmem_max 212992
put $c/wmem_max 212992
put $c/default_qdisc fq_codel
put h/sys/module/tcp_cubic/parameters/hystart_detect 3
put h/sys/class/net/eth1/mtu 1500
put h/sys/class/net/eth1/statistics/rx_crc_errors 17
put h/sys/class/net/eth1/statistics/rx_errors 17
put h/sys/class/net/docker0/mtu 1500
put h/proc/net/snmp 'Tcp: OutSegs RetransSegs\nTcp: 1000000 4321'
put h/proc/net/netstat 'TcpExt: PruneCalled ListenOverflows TCPTimeouts\nTcpExt: 5 7 400'
cat >h/routes.txt <<'END'
default proto static metric 100
	nexthop via 10.0.0.1 dev eth0 weight 1
	nexthop via 10.1.0.1 dev eth1 weight 1
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.7 metric 100
10.9.0.0/16 via 10.0.0.2 dev eth0 table 42 rto_min lock 50ms
10.8.0.0/16 via 10.0.0.2 dev eth0 rto_min lock 5ms
172.17.0.0/16 dev docker0 proto kernel scope link src 172.17.0.1 linkdown
local 10.0.0.7 dev eth0 table local
this is no route
fd00::/64 dev eth0 proto kernel metric 256 pref medium
fe80::/64 dev eth0 proto kernel metric 256 pref medium
END
netan sysctl --root h
for level in info warning error; do
	netan sysctl --root h --fail-on $level -o /dev/null
	echo "$level: exit $?"
done
echo "routes from elsewhere"
grep -v metric h/routes.txt >other.txt
netan sysctl --root h --routes other.txt --format csv --table routes
