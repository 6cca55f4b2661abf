# Two readings: only what has grown between them counts.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
host before
put before/sys/class/net/eth0/statistics/rx_crc_errors 1000
put before/sys/class/net/eth1/statistics/rx_dropped 5
cp -r before now
put now/proc/net/snmp 'Tcp: OutSegs RetransSegs\nTcp: 3000000 1012'
put now/proc/net/netstat 'TcpExt: PruneCalled ListenOverflows TCPTimeouts TCPLostRetransmit TCPSynRetrans\nTcpExt: 0 1 3 0 2'
put now/sys/class/net/eth1/statistics/rx_dropped 8
netan sysctl --root now --nic-before before --fail-on error |
	sed -n '/^network/,$p'
echo "errors grow"
put now/sys/class/net/eth0/statistics/rx_crc_errors 1001
netan sysctl --root now --nic-before before --fail-on error \
	--format json >out.json
echo "exit $?"
sed -n '/"name": "eth0"/,/"remedy"/p' out.json
sed -n '/"grown": {/,/}/p' out.json | sed -n 1,6p
echo "restarted, and of another host"
put before/hostname a
put now/hostname b
put now/sys/class/net/eth0/statistics/rx_crc_errors 1
put now/proc/net/snmp 'Tcp: OutSegs RetransSegs\nTcp: 3 0'
netan sysctl --root now --nic-before before | grep -E 'eth0 |RetransSegs'
