# What cannot be seen, or is not what it should be: unknown, with the reason;
# neither a pass nor a finding.  A container, and files of the other side.
. "$NETAN_ROOT/tests/golden/sysctl/host.inc"
put container/sys/class/net/eth0/mtu 1500
put container/sys/class/net/eth0/operstate up
put container/sys/class/net/eth0/type 1
put container/proc/sys/net/core/somaxconn 4096
netan sysctl --root container --fail-on info
echo "exit $?"
echo "hostile"
host h
rm h/proc/sys/net/core/somaxconn h/proc/sys/net/ipv4/tcp_rmem \
	h/proc/sys/net/core/optmem_max h/proc/sys/net/core/wmem_max \
	h/proc/sys/net/core/rmem_max h/proc/net/netstat
mkfifo h/proc/sys/net/core/somaxconn
ln -s tcp_rmem h/proc/sys/net/ipv4/tcp_rmem
ln -s ../../../../../../../../dev/zero h/proc/sys/net/core/optmem_max
mkdir h/proc/sys/net/core/wmem_max
truncate -s 1G h/proc/sys/net/core/rmem_max
truncate -s 1G h/proc/net/netstat
put h/proc/sys/net/ipv4/tcp_mtu_probing '0\0001'
put h/proc/sys/net/core/default_qdisc '\033[31mfq'
put h/proc/sys/net/ipv4/tcp_congestion_control '\0377\0376'
put h/proc/sys/net/ipv4/tcp_no_metrics_save 99999999999999999999
put h/proc/sys/net/ipv4/tcp_slow_start_after_idle ''
put h/hostname '\033]0;x\007'
put h/routes.txt '[{"dst":"default"}]'
put h/proc/net/snmp 'Tcp: OutSegs RetransSegs\nTcp: -5 1e9'
netan sysctl --root h --fail-on info
echo "exit $?"
