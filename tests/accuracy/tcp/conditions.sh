# What is recorded: one function for each condition.  Sourced by record.sh,
# which says what the words mean.  Host 1 is the client and host 2 the server
# where a condition has two hosts.
#
# The third word of a call are the verdicts of `netan tcp` that are right for a
# connection that the fault touched.  Where they hold network_loss, one none of
# whose packets were dropped was not touched.
# shellcheck shell=bash disable=SC2034

FINE='healthy sender_idle'
LOST='network_loss timeout_bound'

# ---- nothing is wrong

c_healthy_rpc()
{
	about 'calls of all sizes, nothing is wrong'
	calm 40; path 2; serve 2; also any
	call 1 2 "$FINE" conns=6 calls=40 req=100-3000 resp=200-40000 gap_ms=2-20
	truth none not_guilty ''
}

c_healthy_bulk()
{
	about 'bulk one way over 10 ms, nothing is wrong'
	path 5; serve 2
	call 1 2 "$FINE window_limited" conns=2 calls=3 req=1500000 resp=100
	truth none not_guilty ''
}

c_healthy_gso()
{
	about 'calls and bulk, recorded with super-packets'
	offload on; calm 60; path 2; serve 2
	call 1 2 "$FINE window_limited" conns=3 calls=30 req=500-60000 resp=1000-120000 gap_ms=1-5
	truth none not_guilty ''
}

c_healthy_lan()
{
	about 'four hosts, all to all, 0.2 ms'
	hosts 4; calm 40; path 0.1
	local i j
	for i in 1 2 3 4; do
		serve $i
		for j in 1 2 3 4; do
			[ $i = $j ] || call $i $j "$FINE" conns=1 calls=60 req=100-20000 resp=100-20000 gap_ms=1-20
		done
	done
	truth none not_guilty ''
}

c_healthy_many()
{
	about '90 connections with two calls each'
	calm 60; path 2; serve 2
	call 1 2 "$FINE" conns=90 calls=2 req=100-3000 resp=200-20000 gap_ms=2-20 start_ms=0-1500
	truth none not_guilty ''
}

c_healthy_few()
{
	about 'three calls: too few to say much'
	calm 30; path 2; serve 2; without lose1 lose5 late
	call 1 2 "$FINE cannot_tell" conns=1 calls=3 req=300 resp=3000 gap_ms=20
	truth none 'not_guilty cannot_tell' ''
}

c_healthy_bbr()
{
	about 'bulk with BBR, nothing is wrong'
	path 10; serve 2
	call 1 2 "$FINE window_limited" cc=bbr conns=2 calls=3 req=800000 resp=100
	truth none not_guilty ''
}

c_healthy_ip6()
{
	about 'calls of all sizes over IPv6, nothing is wrong'
	ip6; calm 40; path 2; serve 2; also any
	call 1 2 "$FINE" conns=6 calls=40 req=100-3000 resp=200-40000 gap_ms=2-20
	truth none not_guilty ''
}

c_healthy_uneven()
{
	about 'four hosts whose paths differ by a few milliseconds, nothing is wrong'
	hosts 4; calm 60; path 2
	local i j
	for i in 1 2 3 4; do
		serve $i
		wire "tx:$i>* delay ms=0.$i to_ms=1.$i keep=1"
		for j in 1 2 3 4; do
			[ $i = $j ] || call $i $j "$FINE" conns=1 calls=30 req=100-9000 resp=100-9000 gap_ms=1-20
		done
	done
	truth none not_guilty ''
}

c_idle_sender()
{
	about 'a client that calls every 300 ms'
	calm 40; path 2; serve 2
	call 1 2 "$FINE" conns=3 calls=16 req=300-2000 resp=500-6000 gap_ms=250-350
	truth none not_guilty ''
}

c_healthy_http()
{
	about 'curl and the HTTP server of Python'
	path 2
	needs curl python3
	mkdir -p "$WORK/www"
	head -c 90000 /dev/zero >"$WORK/www/file"
	SERVERS+=("2 other python3 -m http.server 7000 --directory $WORK/www")
	program 1 "$FINE" 'for i in $(seq 30); do curl -s -o /dev/null http://10.9.0.2:7000/file; done'
	truth none not_guilty ''
}

c_healthy_iperf()
{
	about 'iperf3 at a steady 16 Mbit/s'
	path 2
	needs iperf3
	SERVERS+=("2 other iperf3 -s -p 7000 -1")
	program 1 "$FINE window_limited" 'iperf3 -c 10.9.0.2 -p 7000 -b 16M -t 2'
	truth none not_guilty ''
}

# ---- packets get lost

c_loss_random()
{
	about '1 % of what the server sends gets lost'
	path 2; serve 2; also any
	wire 'tx:2>1 loss p=0.01 only=data'
	call 1 2 "$LOST" conns=6 calls=40 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_upload()
{
	about '0.5 % of a bulk upload gets lost behind the tap'
	path 5; serve 2
	wire 'rx:1>2 loss p=0.005 only=data'
	call 1 2 "$LOST" conns=2 calls=3 req=1500000 resp=100
	truth network guilty network:dst:h2
}

c_loss_rare()
{
	about 'each 400th data packet to the client gets lost'
	path 2; serve 2; also noid
	wire 'rx:2>1 every n=400 only=data'
	call 1 2 "$LOST" conns=4 calls=50 req=100-2000 resp=4000-30000 gap_ms=1-10
	truth network guilty network:dst:h1
}

c_loss_burst()
{
	about 'bursts of 5 packets get lost'
	path 2; serve 2
	wire 'tx:2>1 loss p=0.015 burst=5 only=data'
	call 1 2 "$LOST" conns=6 calls=40 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_tail()
{
	about 'the last segment of one response in eight gets lost'
	path 2; serve 2; also any
	wire 'tx:2>1 loss p=0.12 only=tail'
	call 1 2 "$LOST" conns=6 calls=30 req=100-1000 resp=3000-12000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_tail_request()
{
	about 'one small request in ten gets lost'
	path 2; serve 2
	wire 'rx:1>2 loss p=0.1 only=tail'
	call 1 2 "$LOST" conns=6 calls=30 req=100-1000 resp=100-1000 gap_ms=1-10
	truth network guilty network:dst:h2
}

c_loss_both_ways()
{
	about '0.7 % of everything gets lost, both ways'
	path 2; serve 2
	wire 'rx:*>* loss p=0.007'
	call 1 2 "$LOST" conns=6 calls=40 req=3000-20000 resp=3000-20000 gap_ms=1-10
	truth network guilty 'network:dst:h1 network:dst:h2 network:host:h1 network:host:h2'
}

c_loss_gso()
{
	about '1 % of what the server sends gets lost, recorded with super-packets'
	offload on; path 2; serve 2
	wire 'tx:2>1 loss p=0.01 only=data'
	call 1 2 "$LOST" conns=4 calls=40 req=100-3000 resp=8000-90000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_many()
{
	about '90 connections with two calls each, 2 % to the client gets lost'
	path 2; serve 2
	wire 'rx:2>1 loss p=0.02'
	call 1 2 "$LOST" conns=90 calls=2 req=100-3000 resp=2000-20000 gap_ms=2-20 start_ms=0-1500
	truth network guilty network:dst:h1
}

c_loss_acks()
{
	about '10 % of the ACKs of a bulk upload get lost: no data is'
	calm 150; path 5; serve 2
	wire 'tx:2>1 loss p=0.1 only=ack'
	call 1 2 "$FINE window_limited" conns=2 calls=3 req=1000000 resp=100
	truth acks 'not_guilty cannot_tell' ''
}

c_loss_bbr()
{
	about '1 % of a bulk upload with BBR gets lost'
	path 5; serve 2
	wire 'tx:1>2 loss p=0.01 only=data'
	call 1 2 "$LOST" cc=bbr conns=2 calls=3 req=1000000 resp=100
	truth network guilty network:src:h1
}

c_loss_no_timestamps()
{
	about '1 % lost, no TCP timestamps'
	setting net.ipv4.tcp_timestamps=0
	path 2; serve 2; also any noid
	wire 'tx:2>1 loss p=0.01 only=data'
	call 1 2 "$LOST" conns=6 calls=30 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_no_sack()
{
	about '1 % lost, no SACK'
	setting net.ipv4.tcp_sack=0
	path 2; serve 2
	wire 'tx:2>1 loss p=0.01 only=data'
	call 1 2 "$LOST" conns=6 calls=30 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_ip6()
{
	about '1 % of what the server sends gets lost, IPv6'
	ip6; path 2; serve 2; also any
	wire 'tx:2>1 loss p=0.01 only=data'
	call 1 2 "$LOST" conns=6 calls=40 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_reordered()
{
	about '1 % gets lost on a path where 3 % come 4 ms late'
	path 4; serve 2; also noid
	wire 'tx:2>1 loss p=0.01 only=data'
	wire 'rx:2>1 delay ms=4 p=0.03'
	call 1 2 "$LOST" conns=5 calls=40 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_duplicated()
{
	about '1 % gets lost on a path where 3 % come twice'
	path 2; serve 2
	wire 'tx:2>1 loss p=0.01 only=data'
	wire 'rx:2>1 dup p=0.03'
	call 1 2 "$LOST" conns=5 calls=40 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth network guilty network:src:h2
}

c_loss_some_flows()
{
	about 'one of several paths, chosen by ports, loses 4 %: four hosts'
	hosts 4; path 1
	wire 'rx:*>* loss p=0.04 only=data flows=0.15'
	all_to_all
	truth network guilty network
}

c_outage()
{
	about 'the path is dead for 1.2 s, then works again'
	path 2; serve 2
	wire 'rx:*>* drop from_s=1 to_s=2.2'
	call 1 2 "$LOST" conns=4 calls=120 req=100-3000 resp=1000-20000 gap_ms=5-20
	truth network guilty 'network:dst:h1 network:dst:h2 network:host:h1 network:host:h2'
}

c_path_dead()
{
	about 'from 1.5 s on nothing comes through, though both hosts live'
	path 2; serve 2; without late
	wire 'rx:*>* drop from_s=1.5'
	call 1 2 "peer_vanished $LOST" conns=4 calls=400 req=3000-9000 resp=300-900 gap_ms=2-6 limit_s=6
	truth gone 'guilty cannot_tell' 'network server::h2' 'vanish|gone|answer|silent|acknowledged'
}

c_syn_ack_lost()
{
	about 'the first answer to the SYN of half the connections gets lost'
	path 2; serve 2; without late
	wire 'rx:2>1 first n=1 p=0.5 only=syn'
	call 1 2 "$LOST" conns=10 calls=6 req=100-3000 resp=1000-9000 gap_ms=5-20
	truth network guilty network:dst:h1
}

c_syn_lost()
{
	about 'the first SYN of half the connections gets lost'
	blind h2; path 2; serve 2; without late
	wire 'rx:1>2 first n=1 p=0.5 only=syn'
	call 1 2 "$LOST" conns=10 calls=6 req=100-3000 resp=1000-9000 gap_ms=5-20
	truth network guilty network:dst:h2
}

# ---- whose NIC is it?

all_to_all()
{
	local i j
	for i in 1 2 3 4; do
		serve $i
		for j in 1 2 3 4; do
			[ $i = $j ] || call $i $j "$LOST" conns=2 calls=25 req=2000-25000 resp=2000-25000 gap_ms=2-10
		done
	done
}

c_nic_tx()
{
	about '2 % of what host 2 sends gets lost'
	hosts 4; path 1; also any
	wire 'tx:2>* loss p=0.02'
	all_to_all
	truth network guilty network:src:h2
}

c_nic_rx()
{
	about '2 % of what host 3 should get is lost'
	hosts 4; path 1; also noid
	wire 'rx:*>3 loss p=0.02'
	all_to_all
	truth network guilty network:dst:h3
}

c_nic_both()
{
	about '1.5 % of all from and to host 4 gets lost'
	hosts 4; path 1
	wire 'tx:4>* loss p=0.015'
	wire 'rx:*>4 loss p=0.015'
	all_to_all
	truth network guilty 'network:host:h4 network:src:h4 network:dst:h4'
}

c_nic_rx_gso()
{
	about '2 % of what host 1 should get is lost, recorded with super-packets'
	hosts 4; offload on; path 1
	wire 'rx:*>1 loss p=0.02 only=data'
	all_to_all
	truth network guilty network:dst:h1
}

c_nic_tx_few()
{
	about '0.6 % of what host 3 sends gets lost: few packets'
	hosts 4; path 1; also noid
	wire 'tx:3>* loss p=0.006 only=data'
	all_to_all
	truth network guilty network:src:h3
}

c_path_loss()
{
	about '3 % is lost from host 1 to host 3, nothing elsewhere'
	hosts 4; path 1
	wire 'rx:1>3 loss p=0.03'
	all_to_all
	truth network guilty network:pair:h1:h3
}

c_nic_slow()
{
	about 'host 2 sends at 4 Mbit/s, the others at full speed'
	hosts 4; path 1
	wire 'tx:2>* rate mbit=4 queue_ms=2000'
	local i j
	for i in 1 2 3 4; do
		serve $i
		for j in 1 2 3 4; do
			[ $i = $j ] || call $i $j 'queueing window_limited healthy' conns=1 calls=10 req=10000-40000 resp=10000-40000 gap_ms=2-10
		done
	done
	truth slow guilty network:src:h2 'slow|queue|rate|Mbit'
}

# ---- late, not lost

c_path_delay()
{
	about 'the path between hosts 1 and 3 is 40 ms longer each way'
	hosts 4; path 1
	wire 'tx:1>3 delay ms=40'
	wire 'tx:3>1 delay ms=40'
	all_to_all_fine
	truth delay guilty 'network:pair:h1:h3 network:pair:h3:h1' 'path|round trip|RTT|latency|slow'
}

all_to_all_fine()
{
	local i j
	for i in 1 2 3 4; do
		serve $i
		for j in 1 2 3 4; do
			[ $i = $j ] || call $i $j "$FINE queueing" conns=1 calls=25 req=500-9000 resp=500-9000 gap_ms=2-10
		done
	done
}

c_bufferbloat()
{
	about 'bulk fills a queue of 400 ms at 8 Mbit/s, calls wait behind it'
	path 2; serve 2
	wire 'rx:1>2 rate mbit=8 queue_ms=400'
	call 1 2 'queueing window_limited' conns=2 calls=2 req=900000 resp=100
	call 1 2 'queueing sender_idle healthy' conns=2 calls=20 req=300 resp=300 gap_ms=20-40
	truth queue 'guilty not_guilty' 'network input client settings' 'queue|bufferbloat|RTT grows|RTT rises|round trips grow'
}

c_rate_limit()
{
	about 'bulk at a rate of 10 Mbit/s: the queue grows, nothing is lost'
	path 4; serve 2
	wire 'tx:1>2 rate mbit=10 queue_ms=2000'
	call 1 2 'queueing window_limited' conns=2 calls=2 req=1200000 resp=100
	truth queue 'guilty not_guilty' 'network input client settings' 'queue|bufferbloat|RTT grows|RTT rises|round trips grow'
}

c_rate_limit_down()
{
	about 'responses come at 6 Mbit/s: the queue before the client grows'
	path 4; serve 2
	wire 'rx:2>1 rate mbit=6 queue_ms=3000'
	call 1 2 'queueing window_limited' conns=3 calls=3 req=200 resp=400000
	truth queue 'guilty not_guilty' 'network input client settings' 'queue|bufferbloat|RTT grows|RTT rises|round trips grow'
}

c_path_delay_one_way()
{
	about 'the way from host 2 to host 4 is 25 ms longer, the way back is not'
	hosts 4; path 1
	wire 'tx:2>4 delay ms=25'
	all_to_all_fine
	truth delay guilty 'network:pair:h2:h4 network:pair:h4:h2' 'path|round trip|RTT|latency|slow'
}

c_policer()
{
	about 'a rate of 6 Mbit/s with a queue of 8 ms: the rest is dropped'
	path 4; serve 2
	wire 'rx:1>2 rate mbit=6 queue_ms=8'
	call 1 2 "$LOST queueing" conns=2 calls=3 req=600000 resp=100
	truth network guilty network:dst:h2
}

c_jitter()
{
	about 'each packet takes up to 6 ms more and overtakes: nothing is lost'
	path 4; serve 2; also noid
	wire 'tx:2>1 delay ms=0 to_ms=6'
	call 1 2 'healthy sender_idle cannot_tell window_limited' conns=5 calls=30 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth reorder 'guilty not_guilty' network 'reorder|out of order|overt|jitter|late, not lost|spurious|needless'
}

c_reorder()
{
	about '3 % of the packets come 4 ms late: nothing is lost'
	path 4; serve 2; also any noid
	wire 'rx:2>1 delay ms=4 p=0.03'
	call 1 2 'healthy sender_idle cannot_tell window_limited' conns=5 calls=30 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth reorder 'guilty not_guilty' network 'reorder|out of order|overt|jitter|late, not lost|spurious|needless'
}

c_reorder_ip6()
{
	about '3 % of the packets come 4 ms late over IPv6: nothing is lost'
	ip6; path 4; serve 2
	wire 'rx:2>1 delay ms=4 p=0.03'
	call 1 2 'healthy sender_idle cannot_tell window_limited' conns=5 calls=30 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth reorder 'guilty not_guilty' network 'reorder|out of order|overt|jitter|late, not lost|spurious|needless'
}

c_reorder_no_timestamps()
{
	about 'the same without TCP timestamps'
	setting net.ipv4.tcp_timestamps=0
	path 4; serve 2
	wire 'rx:2>1 delay ms=4 p=0.03'
	call 1 2 'healthy sender_idle cannot_tell window_limited' conns=5 calls=30 req=100-3000 resp=8000-60000 gap_ms=1-10
	truth reorder 'guilty not_guilty' network 'reorder|out of order|overt|jitter|late, not lost|spurious|needless'
}

c_duplicates()
{
	about '3 % of the packets come twice: nothing is lost'
	calm 60; path 2; serve 2; also any noid
	wire 'tx:2>1 dup p=0.03'
	wire 'tx:1>2 dup p=0.03'
	call 1 2 'healthy sender_idle cannot_tell' conns=5 calls=40 req=1000-9000 resp=8000-60000 gap_ms=1-10
	truth duplicates 'guilty not_guilty' network 'duplicat|twice|copies'
}

c_delay_spike()
{
	about 'the path takes 700 ms more for a while, three times: nothing is lost'
	path 2; serve 2
	wire 'rx:2>1 hold period_s=2.2 ms=700 from_s=0.8 keep=1'
	call 1 2 'healthy sender_idle cannot_tell queueing' conns=3 calls=120 req=100-3000 resp=3000-20000 gap_ms=15-40
	truth spike 'guilty cannot_tell' network:pair:h2:h1 'not lost|stall|spurious|needless|paus|stood still|stands still'
}

c_pausing_host()
{
	about 'host 2 stands still for 250 ms, again and again'
	hosts 4; path 1
	wire 'tx:2>* hold period_s=1.1 ms=250 from_s=0.5 keep=1'
	wire 'rx:*>2 hold period_s=1.1 ms=250 from_s=0.5 keep=1'
	local i j
	for i in 1 2 3 4; do
		serve $i
		for j in 1 2 3 4; do
			[ $i = $j ] || call $i $j "$FINE cannot_tell server_slow queueing" conns=1 calls=90 req=500-9000 resp=500-9000 gap_ms=20-50
		done
	done
	truth pause 'guilty not_guilty' 'network:host:h2 network:src:h2 network:dst:h2 server::h2 compute::h2' 'paus|stall|stood still|stands still|not lost'
}

c_pausing_client()
{
	about 'the client host stands still for 300 ms, again and again'
	hosts 3; path 1
	wire 'tx:1>* hold period_s=1.3 ms=300 from_s=0.5 keep=1'
	wire 'rx:*>1 hold period_s=1.3 ms=300 from_s=0.5 keep=1'
	serve 2; serve 3
	call 1 2 "$FINE cannot_tell queueing" conns=3 calls=100 req=500-9000 resp=500-9000 gap_ms=20-50
	call 1 3 "$FINE cannot_tell queueing" conns=3 calls=100 req=500-9000 resp=500-9000 gap_ms=20-50
	truth pause 'guilty not_guilty cannot_tell' 'network:host:h1 network:src:h1 network:dst:h1 client::h1 compute::h1' 'paus|stall|stood still|stands still|not lost'
}

# ---- TCP says what it is

c_mtu_black_hole()
{
	about 'packets above 1300 bytes die from server to client, no ICMP'
	calm 60; path 2; serve 2; without late
	wire 'rx:2>1 drop over=1300'
	call 1 2 "$LOST peer_vanished" conns=3 calls=3 req=200 resp=20000 limit_s=6
	call 1 2 "$FINE" conns=3 calls=20 req=200 resp=200-900 gap_ms=20-60
	truth network guilty 'network:dst:h1 network:pair:h2:h1 network:src:h2' 'MTU|black hole|full-size|large packets|big packets'
}

c_mtu_shrinks()
{
	about 'from 1.5 s on packets above 1300 bytes die from server to client'
	path 2; serve 2; without late
	wire 'rx:2>1 drop over=1300 from_s=1.5'
	call 1 2 "$LOST peer_vanished" conns=2 calls=60 req=200 resp=20000 gap_ms=20-60 limit_s=8
	call 1 2 "$FINE" conns=3 calls=60 req=200 resp=200-900 gap_ms=20-100
	truth network 'guilty cannot_tell' 'network:dst:h1 network:pair:h2:h1 network:src:h2' 'MTU|black hole|full-size|large packets|big packets|long packets'
}

c_mtu_shrinks_chatty()
{
	about 'from 2 s on packets above 1300 bytes die from client to server, which sends small ones on'
	needs python3; path 2; without late
	wire 'rx:1>2 drop over=1300 from_s=2'
	serve 2 other python3 "$HERE/chatty.py" serve ${NET}2
	program 1 "peer_vanished" "python3 $HERE/chatty.py call ${NET}2"
	truth network guilty 'network:dst:h2 network:pair:h1:h2 network:src:h1' 'MTU|black hole|full-size|large packets|big packets|long packets'
}

c_syn_unanswered()
{
	about 'nobody answers the SYN'
	blind h2; path 2; without late lose1 lose5 oneway
	wire 'rx:1>2 drop'
	call 1 2 "peer_vanished cannot_tell $LOST" conns=3 calls=1 req=200 resp=200 limit_s=6
	truth gone 'guilty cannot_tell' 'network server::h2' 'SYN|answer|unreach|vanish'
}

c_peer_vanished()
{
	about 'the link of the server goes down in the middle of a response'
	blind h2; path 2; serve 2; without late
	wire 'tx:2>1 rate mbit=8 queue_ms=3000'
	call 1 2 "peer_vanished $LOST server_slow cannot_tell sender_idle" conns=2 calls=40 req=200 resp=40000 gap_ms=5 limit_s=7
	call 1 2 "peer_vanished $LOST" conns=2 calls=100 req=60000 resp=200 gap_ms=0 limit_s=7
	event 1.5 'ip -n "$NS-h2" link set e0 down'
	truth gone 'guilty cannot_tell' 'network server::h2' 'vanish|gone|answer|silent|acknowledged'
}

c_refused()
{
	about 'nobody listens on the port'
	path 2; without oneway late lose1 lose5
	call 1 2 refused conns=5 calls=1
	truth server 'not_guilty cannot_tell' 'server::h2 server settings' 'refus'
}

c_reset_by_server()
{
	about 'the server resets in the middle of its tenth response'
	path 2; serve 2; without late
	call 1 2 reset conns=5 calls=15 req=200-2000 resp=20000 gap_ms=5 reset_after=10
	truth server 'not_guilty cannot_tell' 'server::h2 server' 'reset|RST'
}

c_reset_by_client()
{
	about 'the client resets before the answer to its tenth call'
	path 2; serve 2; without late
	call 1 2 reset conns=5 calls=15 req=200-2000 resp=20000 think_ms=100-100 think_share=0 gap_ms=5 abort_after=10
	truth client 'not_guilty cannot_tell' 'client::h1 client' 'reset|RST'
}

# ---- the network waits for others

c_server_slow_some()
{
	about 'the server thinks for 20 to 300 ms in one call of six'
	calm 330; path 2; serve 2; also any noid
	call 1 2 'server_slow' conns=5 calls=25 req=100-3000 resp=500-20000 gap_ms=2-20 think_ms=20-300 think_share=0.16
	truth server not_guilty 'server::h2 server'
}

c_server_slow_one()
{
	about 'one server of three takes 60 ms for each call'
	hosts 4; calm 95; path 1
	serve 2; serve 3; serve 4
	call 1 2 "$FINE" conns=3 calls=35 req=100-3000 resp=500-20000 gap_ms=2-20 think_ms=0.2-2
	call 1 3 'server_slow' conns=3 calls=25 req=100-3000 resp=500-20000 gap_ms=2-20 think_ms=50-70
	call 1 4 "$FINE" conns=3 calls=35 req=100-3000 resp=500-20000 gap_ms=2-20 think_ms=0.2-2
	truth server not_guilty 'server::h3'
}

c_server_slow_rare()
{
	about 'the server thinks for 200 ms in one call of thirty'
	calm 285; path 2; serve 2
	call 1 2 'server_slow' conns=5 calls=40 req=100-3000 resp=500-20000 gap_ms=2-20 think_ms=180-260 think_share=0.033
	truth server not_guilty 'server::h2 server'
}

c_server_slow_upload()
{
	about 'the server thinks for 80 to 150 ms after each upload'
	path 2; serve 2
	call 1 2 'server_slow' conns=5 calls=16 req=20000-90000 resp=100-900 gap_ms=2-20 think_ms=80-150
	truth server not_guilty 'server::h2 server'
}

c_server_slow_mild()
{
	about 'one server of three takes 8 ms for each call, the others 1'
	hosts 4; calm 40; path 1
	serve 2; serve 3; serve 4
	call 1 2 "$FINE" conns=3 calls=60 req=100-3000 resp=500-20000 gap_ms=2-10 think_ms=0.5-1.5
	call 1 3 "$FINE" conns=3 calls=60 req=100-3000 resp=500-20000 gap_ms=2-10 think_ms=0.5-1.5
	call 1 4 'server_slow' conns=3 calls=50 req=100-3000 resp=500-20000 gap_ms=2-10 think_ms=6-10
	truth server not_guilty 'server::h4'
}

c_server_stopped()
{
	about 'the process of the server stands still for 400 ms, four times'
	path 2; serve 2
	call 1 2 'server_slow' conns=4 calls=140 req=100-3000 resp=500-9000 gap_ms=10-30
	event 0.6 'p=$(ip netns pids "$NS-h2" | while read -r q; do grep -q -a "^$BIN/ends" /proc/$q/cmdline && echo $q; done); for i in 1 2 3 4; do kill -STOP $p; sleep 0.4; kill -CONT $p; sleep 0.5; done'
	truth server not_guilty 'server::h2 server compute::h2'
}

c_mixed()
{
	about 'the server thinks, while another path loses packets'
	hosts 3; path 1
	serve 2; serve 3
	wire 'rx:3>1 loss p=0.02 only=data'
	call 1 2 'server_slow' conns=4 calls=25 req=100-3000 resp=500-20000 gap_ms=2-20 think_ms=30-90
	call 1 3 "$LOST" conns=4 calls=40 req=100-3000 resp=8000-40000 gap_ms=2-20
	truth both guilty 'network:pair:h3:h1 network:src:h3 server::h2'
}

c_listen_overflow()
{
	about 'the server accepts one connection in 300 ms, its queue is full: SYNs are dropped at the host'
	blind h1 mid; path 2; serve 2 backlog=1 accept_gap_ms=300; without late lose1 lose5 oneway
	call 1 2 "$FINE cannot_tell server_slow timeout_bound" conns=8 calls=4 req=200-900 resp=200-9000 gap_ms=5-20
	truth host 'not_guilty cannot_tell' 'server::h2 server settings settings::h2' 'SYN|listen|backlog|accept'
}

c_slow_reader()
{
	about 'the client reads slowly: its window closes'
	path 2; serve 2; without late
	call 1 2 receiver_too_slow conns=2 calls=2 req=200 resp=700000 rcvbuf=65536 client_reads_per_s=100
	truth client not_guilty 'client::h1 client'
}

c_slow_reader_server()
{
	about 'the server reads slowly: its window closes'
	path 2; serve 2 rcvbuf=65536; without late
	call 1 2 receiver_too_slow conns=2 calls=2 req=600000 resp=200 reads_per_s=100
	truth server not_guilty 'server::h2 server'
}

c_small_window()
{
	about 'a receive buffer of 16 KiB on a path of 40 ms'
	path 20; serve 2 rcvbuf=16384; without late
	call 1 2 'window_limited' conns=2 calls=2 req=500000 resp=100
	truth settings not_guilty 'settings settings::h2 server::h2 server'
}

c_nagle()
{
	about 'two small writes a call, Nagle on, delayed ACKs'
	calm 95; path 1; serve 2
	call 1 2 'delayed_ack' conns=4 calls=40 nagle=1 pieces=2 req=200-600 resp=100-300 gap_ms=2-10
	truth settings not_guilty 'settings settings::h1 client client::h1'
}

c_no_delay()
{
	about 'two small writes a call without Nagle: nothing is wrong'
	calm 40; path 1; serve 2
	call 1 2 "$FINE" conns=4 calls=60 pieces=2 req=200-600 resp=100-300 gap_ms=2-10
	truth none not_guilty ''
}

c_nagle_loss()
{
	about 'two small writes a call, Nagle on, delayed ACKs; and 1.5 % are lost'
	calm 900; path 1; serve 2; without late lose1 lose5
	wire 'rx:1>2 loss p=0.015 only=data'
	call 1 2 "delayed_ack $LOST" conns=4 calls=60 nagle=1 pieces=2 req=200-600 resp=100-300 gap_ms=2-10
	truth network guilty 'network network:path:h1:h2 network:dst:h2 network:src:h1 settings settings::h1' 'Nagle'
}

c_nagle_answers()
{
	about 'answers in two small writes, Nagle on at the server, delayed ACKs'
	calm 95; path 1; serve 2 nagle=1
	call 1 2 'delayed_ack' conns=4 calls=40 req=200-600 resp_pieces=2 resp=100-300 gap_ms=2-10
	truth settings not_guilty 'settings settings::h2 server::h2' 'Nagle'
}

c_nagle_short()
{
	about 'connections of three calls in two small writes, Nagle on, delayed ACKs'
	calm 95; path 1; serve 2
	call 1 2 'delayed_ack cannot_tell' conns=12 calls=3 nagle=1 pieces=2 req=200-600 resp=100-300 gap_ms=2-10 start_ms=0-500
	truth settings not_guilty 'settings settings::h1 client::h1' 'Nagle'
}

c_beat()
{
	about 'a small message each 43 ms without Nagle: as late as delayed ACKs'
	path 1; serve 2
	call 1 2 "$FINE" conns=4 calls=2 pieces=60 piece_gap_ms=42.5 req=12000 resp=100
	truth none not_guilty ''
}

c_slow_thoughts()
{
	about 'the server thinks longer than ACKs are delayed; no Nagle'
	path 1; serve 2
	call 1 2 "$FINE server_slow" conns=4 calls=40 req=200-600 resp=100-300 think_ms=40-60 gap_ms=2-10
	truth server not_guilty 'server::h2'
}

c_nagle_stream()
{
	about 'small writes one way, Nagle on, acknowledged at once; what is lost waits for the timer, and what follows for that'
	path 1; serve 2; without late lose1 lose5; setting net.ipv4.tcp_early_retrans=0
	wire 'rx:1>2 every n=35 only=data'
	call 1 2 "$LOST" conns=4 calls=1 nagle=1 pieces=400 piece_gap_ms=6 req=4000 resp=100
	truth network guilty 'network network:path:h1:h2 network:dst:h2 network:src:h1'
}

# ---- fleets of six hosts, one of which may be slow; nothing is lost

# MBIT of each port (0: as fast as it goes) OPTION...: calls of all to all
fleet()
{
	local mbit=$1 i j
	shift
	hosts 6; without cut skewed lose1 lose5 late oneway
	for i in 1 2 3 4 5 6; do
		serve $i
		[ "$mbit" = 0 ] || {
			wire "tx:$i>* rate mbit=$mbit queue_ms=5000"
			wire "rx:*>$i rate mbit=$mbit queue_ms=5000"
		}
		for j in 1 2 3 4 5 6; do
			[ $i = $j ] || call $i $j "$FINE queueing server_slow" conns=1 calls=10 req=30000-60000 resp=100 gap_ms=1-20 "$@"
		done
	done
}

c_fleet_healthy()
{
	about 'all to all, ports of 16 Mbit/s, nothing is wrong'
	fleet 16
	truth none 'not_guilty cannot_tell' ''
}

c_fleet_fast()
{
	about 'all to all, ports as fast as they go, nothing is wrong'
	fleet 0
	truth none 'not_guilty cannot_tell' ''
}

c_fleet_thinks()
{
	about 'all to all, clients that think for up to 60 ms, nothing is wrong'
	fleet 16 gap_ms=20-60
	truth none 'not_guilty cannot_tell' ''
}

c_fleet_slow_rx()
{
	about 'all to all, ports of 16 Mbit/s, host 5 receives at 5'
	blind h1 h2 h3 h4 h5 h6
	wire 'rx:*>5 rate mbit=5 queue_ms=9000'
	fleet 16
	truth slow guilty 'network:dst:h5 network:host:h5'
}

c_fleet_slow_tx()
{
	about 'all to all, ports of 16 Mbit/s, host 3 sends at 5'
	blind h1 h2 h3 h4 h5 h6
	wire 'tx:3>* rate mbit=5 queue_ms=9000'
	fleet 16
	truth slow guilty 'network:src:h3 network:host:h3'
}

c_fleet_slow_half()
{
	about 'all to all, ports of 16 Mbit/s, host 2 sends and receives at 8'
	blind h1 h2 h3 h4 h5 h6
	wire 'tx:2>* rate mbit=8 queue_ms=9000'
	wire 'rx:*>2 rate mbit=8 queue_ms=9000'
	fleet 16
	truth slow guilty 'network:src:h2 network:dst:h2 network:host:h2'
}

c_fleet_slow_one()
{
	about 'all to all, ports as fast as they go, host 4 receives at 8 Mbit/s'
	blind h1 h2 h3 h4 h5 h6
	wire 'rx:*>4 rate mbit=8 queue_ms=9000'
	fleet 0
	truth slow guilty 'network:dst:h4 network:host:h4'
}
