#!/usr/bin/env bash
# Makes the kept seeds anew, with netan from PATH:
#
#	PATH="$PWD/build:$PATH" bash tests/fuzz/corpus/make.sh
#
# Same program, same bytes.  What a fuzzer found is kept beside them, under
# names that begin with "found-".
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p wire open capfile packet roce capture

hex() { sed 's/#.*//' | tr -d ' \n' | sed 's/../\\x&/g' | { read -r s || true; printf '%b' "$s"; }; }

# NAME OPTION...: one host's file of a tiny job.
tiny()
{
	local to=$1
	shift
	netan synth -o "$work/$to" --run r --hosts 2 --devices 1 --steps 1 \
		--collectives 1 --ops 1 --only host-0 "$@" >/dev/null
	find "$work/$to" -name 'host-0.xplane.pb*' -exec cp {} "$to.new" \;
	rm -rf "${work:?}/$to"
}

# One message event, most of its stats missing.
hex >wire/worked-example.pb <<'END'
0a69 1209 2f686f73743a435055
1a1b 0809 18e807
 2214 0807 10e0c65b 1800 220408013803 220408022032
2209 0807 1205 0807 120145
2a11 0801 120d 0801 1209 64636e5f6c6162656c
2a13 0802 120f 0802 120b 6475726174696f6e5f7573
2a0c 0803 1208 0803 1204 61722e31
END
# NAME FILE: its planes, as many to a file NAME-K.pb as make 4 kB.
planes()
{
	python3 - "$1" "$2" <<'END'
import sys
d, at, files = open(sys.argv[2], 'rb').read(), 0, [b'']
while at < len(d):
    i, n, shift = at + 1, 0, 0
    while True:
        n |= (d[i] & 127) << shift
        shift, i = shift + 7, i + 1
        if d[i - 1] < 128:
            break
    field = d[at:i + n]
    if len(files[-1]) + len(field) > 4096:
        files.append(b'')
    files[-1] += field
    at = i + n
for k, field in enumerate(files):
    open('%s-%d.pb' % (sys.argv[1], k), 'wb').write(field)
END
}

tiny graph
tiny message --generation message
tiny both --generation both --fault bad-key:0:1 --fault loopback:0:1
tiny cut --fault truncate:host-0:0.7
tiny gpu --profile gpu
tiny gzip --compress gzip
tiny zstd --generation message --compress zstd
for f in graph message both; do
	planes wire/$f $f.new
	mv $f.new "$work/$f.pb"
done
planes wire/truncated cut.new
rm cut.new
# One generation of messages or another, the devices are the same.
rm wire/{both,message,truncated}-0.pb wire/{both,message}-1.pb
cp gpu.new "$work/gpu.pb"
mv gpu.new wire/gpu.pb
cp ../../data/gpu-markers.xplane.pb wire/markers.pb
mv gzip.new open/graph.gz
mv zstd.new open/message.zst

mkdir -p netan
for f in graph message gpu; do
	netan ingest -o netan/$f.netan "$work/$f.pb" >/dev/null
done
netan ingest -o netan/both.netan wire/both-3.pb >/dev/null
netan synth -o "$work/ranks" --profile pytorch --hosts 2 --devices 1 --steps 1 \
	>/dev/null
netan ingest -o netan/ranks.netan "$work/ranks/kineto" >/dev/null

# Modules as the compiler dumps them; small ones by hand.
mkdir -p hlo_proto hlo_text
netan synth -o "$work/dumped" --hlo-dump "$work/hlo" --run r --hosts 2 \
	--devices 1 --steps 1 --collectives 1 --ops 1 >/dev/null
cp "$work"/hlo/host-0/*.hlo_proto.pb hlo_proto/step.pb
cp "$work"/hlo/host-0/*.txt hlo_text/step.txt
# Two computations: groups of unequal size, an iota list, pairs, a shape with
# a packed layout, an async-start that calls the first; fields out of order,
# an id that names nothing.
hex >hlo_proto/groups <<'END'
0a9e020a056a69745f661aaf010a026d3112340a0161120a616c6c2d72656475
63651a0c10151a01052a050a01003804d00105980201b20201058a03040a0200
018a03030a0102123b0a01621210616c6c2d6761746865722d73746172741a0c
100d2204100b180422021011980202a2020101ba050e120c080410021a020402
2202010012340a01631212636f6c6c6563746976652d7065726d7574651a0410
0b1804980203a00209aa02020102a2030408001001a20302080128051a5b0a02
6d3212250a0173120b6173796e632d73746172741a0c100d2204100b18042202
1011980201b2020105122c120a6173796e632d646f6e650a01641a04100b1804
980202a2020101a2040d0a060a017a1201310a030a0161280630067a04080210
04
END
cat >hlo_text/small.txt <<'END'
HloModule m, replica_count=2, num_partitions=4
%b (x: f32[]) -> f32[] {
  ROOT %x = f32[] parameter(0), metadata={op_name="a{\"b"}
}
ENTRY e {
  p = (f32[4]{0}, /*index=1*/token[]) parameter(0)
  c = s32[2,2]{1,0} constant({ { 1, 2 },
    { 3, 4 } })
  s = ((f32[4]), f32[4]) async-start(%p), calls=%b
  d = f32[4] async-done(s), control-predecessors={%s}
  ROOT r = f32[4] all-reduce(d), replica_groups={{0,1},{2}}, to_apply=b
}, execution_thread="main"
END

cp wire/worked-example.pb open/plain.pb
gzip -n -9 <wire/worked-example.pb >open/example.gz
{ head -c 50 wire/worked-example.pb | gzip -n
  tail -c +51 wire/worked-example.pb | gzip -n; } >open/members.gz
{ cat open/example.gz; head -c 100 /dev/zero; } >open/padded.gz
head -c -6 open/example.gz >open/short.gz
{ head -c -8 open/example.gz; printf 'wrong sum'; } >open/checksum.gz
head -c -5 open/message.zst >open/short.zst
gzip -n <open/example.gz >open/twice.gz
head -c 300000 /dev/zero | gzip -n >open/zeros.gz
printf '{"displayTimeUnit":"ns","traceEvents":[{"ph":"X"},{}]}' >open/trace.json
printf '\n{"traceEvents": []}\n' >open/newline.json
printf '\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a' >open/capture.pcapng
printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00' >open/capture.pcap
printf '\x83\xaf\x70\xd1\x0d\x88\x4a\x3f' >open/trace.riegeli
printf 'Metric: ExecuteTime\n  TotalSamples: 96\n' >open/metrics.txt
: >open/empty

# Frames for packet/: a byte for the link type (fuzz_packet.c), one for what
# was cut off, then the frame.
ip4=4500003800010000400600000a0000010a000002
ip6=6030000000180640fd000000000000000000000000000001fd000000000000000000000000000002
tcp=03e807d00000000700000009501802000000000000000000
stamps=03e807d000000007000000098018020000000000
mac=020000000001020000000002
hex >packet/vlan <<<"0000 ${mac} 88a8 0007 8100 0009 0800 $ip4 $stamps 0101080a0000001100000022 deadbeef"
hex >packet/snap <<<"0000 ${mac} 0040 aaaa03000000 0800 $ip4 $stamps"
hex >packet/mpls <<<"0000 ${mac} 8847 00010040 00010140 $ip6 $tcp"
hex >packet/pppoe <<<"0000 ${mac} 8864 110000010000 0057 $ip6 $tcp"
hex >packet/cut <<<"0005 ${mac} 0800 $ip4 03e807d000000007"
hex >packet/null <<<"0200 1e000000 $ip6 $tcp"
hex >packet/sll <<<"0400 000000010006020000000001 0000 0800 $ip4 $tcp"
hex >packet/sll2 <<<"0500 86dd0000000000020001000602000000 00010000 $ip6 $tcp"
hex >packet/gre <<<"0600 4500000000010000402f00000a0000010a000002 b000 6558 000000000000000500000006 ${mac} 86dd $ip6 $tcp"
hex >packet/pptp <<<"0600 4500000000010000402f00000a0000010a000002 3081 880b 001800010000000100000001 ff03 0057 $ip6 $tcp"
hex >packet/vxlan <<<"0600 4500000000010000401100000a0000010a000002 100012b500000000 0800000000000700 ${mac} 0800 $ip4 $tcp"
hex >packet/ipip <<<"0600 4500000000010000400400000a0000010a000002 4500000000010000402900000a0000010a000002 $ip6 $tcp"
hex >packet/options <<<"0600 4500000000010000400600000a0000010a000002 03e807d0000000070000000 9f002020000000000 020405b4 0402080a0000000b0000000c 03030701 05120000006400 0000c80000012c00000190 0000"
hex >packet/extensions <<<"0700 6030000000000000fd000000000000000000000000000001fd000000000000000000000000000002 2b00c20400011178 3c00000000000000 0600010400000000 $tcp"
hex >packet/fragment4 <<<"0600 4500003c00052000401100000a0000010a000002 03e812b700280000 00000000000000000000000000000000 00000000000000000000000000000000"
hex >packet/fragment6 <<<"0700 6030000000182c40fd000000000000000000000000000001fd000000000000000000000000000002 0600 0001 0000abcd $tcp"
hex >packet/udp <<<"0600 4500002400010000401100000a0000010a000002 003512b700120000 00000000000000000000"

# Packets for roce/: between whom, time, length, what was cut off, then the
# payload (fuzz_roce.c).
hex >roce/send-ack <<<"890520000000ffff0000002200ffffff7878787878787878787878787878787800000000890520000100ffff0000002200000000787878787878787878787878787878780000000089051c000310ffff000000220000000100000001787878787878787800000000860914001100ffff00000011000000011f00000100000000"
hex >roce/nak <<<"890520000000ffff00000022000000017878787878787878787878787878787800000000890520000100ffff0000002200000002787878787878787878787878787878780000000089051c000230ffff000000220000000378787878787878787878787800000000860914001100ffff00000011000000026000000100000000890520000100ffff0000002200000002787878787878787878787878787878780000000089051c000230ffff000000220000000378787878787878787878787800000000860914001100ffff00000011000000031f00000100000000"
hex >roce/gap <<<"890520000000ffff00000022000000017878787878787878787878787878787800000000890520000000ffff0000002200000003787878787878787878787878787878780000000089051c000230ffff00000022000000047878787878787878787878780000000089051c000230ffff000000220000000278787878787878787878787800000000890520000000ffff0000002200000003787878787878787878787878787878780000000089051c000230ffff000000220000000478787878787878787878787800000000860914001100ffff00000011000000042c00000100000000"
hex >roce/read <<<"890520000c00ffff00000022000000090000000000000000000000000000002800000000860924000d00ffff00000011000000091f0000017878787878787878787878787878787800000000860520000e00ffff000000110000000a787878787878787878787878787878780000000086051c000f00ffff000000110000000b1f000001787878787878787800000000"
hex >roce/atomic <<<"89052c001300ffff0000002200000009000000000000000000000000000000000000000000000000000000000000000086091c001200ffff00000011000000091f000001000000000000000000000000"
hex >roce/other <<<"890520006400ffff00000001000000090000000000000000787878787878787800000000890528002a00ffff000000030000000900000000000000000000000000000008787878787878787800000000860520008100ffff0000000100000000787878787878787878787878787878780000000089051c00a430ffff00000007000000010000000078787878787878780000000085ff18c80430ffff0000000900000001787878787878787800000000"

# Whole files for capfile/.
frame="${mac}0800${ip4}${stamps}0101080a0000001100000022deadbeef" # 70 bytes
little() { hex <<<"d4c3b2a1 02000400 0000000000000000 00000400 $1"; }
for t in 0 1 2 3; do hex <<<"0${t}f15365 0${t}000000 46000000 dc050000 $frame"; done >"$work/records"
{ little 01000000; cat "$work/records"; } >capfile/little.pcap
{ little 01000000; cat "$work/records"; } | head -c 300 >capfile/cut.pcap
{ little 01000000; head -c 86 "$work/records"; hex <<<"00000000 00000000 ffffff7f ffffff7f"; cat "$work/records"; } >capfile/resync.pcap
hex >capfile/big-nano.pcap <<<"a1b23c4d 00020004 0000000000000000 00040000 00000001 6553f100 00000007 00000046 000005dc $frame"
hex >capfile/modified.pcap <<<"34cdb2a1 02000400 0000000000000000 00000400 01000000 00f15365 07000000 46000000 dc050000 0000000000000000 $frame"
hex >capfile/old-lengths.pcap <<<"d4c3b2a1 02000200 0000000000000000 00000400 01000000 00f15365 07000000 dc050000 46000000 $frame"
hex >"$work/section" <<'END'
0a0d0d0a 1c000000 4d3c2b1a 01000000 ffffffffffffffff 1c000000
01000000 2c000000 0100 0000 00000000 0900 0100 09000000 0e00 0800 0100000000000000 00000000 2c000000
01000000 1c000000 7100 0000 60000000 0900 0100 8a000000 1c000000
04000000 10000000 00000000 10000000
05000000 18000000 00000000 00000000 00000000 18000000
END
{ cat "$work/section"
  hex <<<"06000000 68000000 00000000 78563412 00000000 46000000 dc050000 $frame 0000 68000000"
  hex <<<"03000000 58000000 46000000 $frame 0000 58000000"
  hex <<<"02000000 68000000 0100 0000 00000000 00100000 46000000 dc050000 $frame 0000 68000000"
  hex <<<"0a0d0d0a 0000001c 1a2b3c4d 00010000 ffffffffffffffff 0000001c"
  hex <<<"00000001 00000014 0001 0000 00000000 00000014"
  hex <<<"00000006 00000068 00000000 00000001 00000000 00000046 000005dc $frame 0000 00000068"
} >capfile/two-sections.pcapng
{ cat "$work/section"; hex <<<"06000000 69000000 00000000 00000000"; cat "$work/section"; } >capfile/resync.pcapng

# Whole captures for capture/, of raw IP: PACKET is a direction (c, s), the
# sequence numbers of sender and receiver, TCP flags, payload; sent after
# `at` microseconds.
at=0
word() { printf '%08x' "$1"; }
swapped() { local w; w=$(word "$1"); printf '%s' "${w:6:2}${w:4:2}${w:2:2}${w:0:2}"; }
raw_capture() { hex <<<"d4c3b2a1 02000400 0000000000000000 00000400 65000000"; }
captured() # PACKET in hex
{
	local n=$((${#1} / 2))
	at=$((at + 250))
	hex <<<"00f15365 $(swapped $at) $(swapped $n) $(swapped $n) $1"
}
tcp_packet() # c|s SEQ ACK FLAGS [PAYLOAD]
{
	local ends=0a0000010a000002 ports=9c40c383 total
	[ "$1" = c ] || ends=0a0000020a000001 ports=c3839c40
	total=$((40 + ${#5} / 2))
	captured "4500$(printf %04x $total)0001000040060000${ends}${ports}$(word "$2")$(word "$3")50$4ffff00000000$5"
}
frame() # TYPE FLAGS STREAM PAYLOAD
{
	printf '%06x%s%s%s%s' $((${#4} / 2)) "$1" "$2" "$(word "$3")" "$4"
}
preface=505249202a20485454502f322e300d0a0d0a534d0d0a0d0a
request="$preface$(frame 04 00 0 '')$(frame 01 04 1 838604022f785f106170706c69636174696f6e2f67727063)$(frame 00 01 1 0000000002abcd)"
answer="$(frame 04 00 0 '')$(frame 01 04 1 88)$(frame 00 00 1 0000000001ef)$(frame 01 05 1 000b677270632d7374617475730130)"
conversation()
{
	tcp_packet c 100 0 02 ''
	tcp_packet s 900 101 12 ''
	tcp_packet c 101 901 10 ''
	tcp_packet c 101 901 18 "$1"
	tcp_packet c 101 901 18 "$1" # sent again
	tcp_packet s 901 $((101 + ${#1} / 2)) 18 "$2"
	tcp_packet c $((101 + ${#1} / 2)) $((901 + ${#2} / 2)) 11 ''
	tcp_packet s $((901 + ${#2} / 2)) $((102 + ${#1} / 2)) 11 ''
}
{ raw_capture; conversation "$request" "$answer"; } >capture/calls.pcap
at=0
{ raw_capture; conversation 6765742061 76616c7565; } >capture/exchange.pcap
at=0
bth() { printf '%s40ffff00%s%s' "$1" 000011 "$2"; } # opcode, psn with ack bit
roce() # ADDRESSES BTH PAYLOAD
{
	local n=$(((${#2} + ${#3}) / 2 + 12))
	captured "4500$(printf %04x $((20 + n)))0001000040110000${1}c00012b7$(printf %04x $n)0000$2${3}00000000"
}
{
	raw_capture
	roce 0a0000010a000002 "$(bth 00 00000007)" 0102030405060708
	roce 0a0000010a000002 "$(bth 02 80000008)" 0102030405060708
	roce 0a0000020a000001 "$(bth 11 00000008)" 00000001
	roce 0a0000020a000001 "$(bth 11 00000009)" 60000009
} >capture/roce.pcap
cp capfile/two-sections.pcapng capture/

# Routes as ip shows them, and as the kernel tells them (little-endian): a
# default route with a locked rto_min, one with two next hops, the end.
mkdir -p routes route_messages settings ledger
cat >routes/all.txt <<'END'
default via 10.0.0.1 dev eth0 proto dhcp src 10.0.0.7 metric 100 rto_min lock 5ms
default proto static metric 200
	nexthop via 10.1.0.1 dev eth1 weight 1
	nexthop via 10.2.0.1 dev eth2 weight 1
10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.7
10.9.0.0/16 via inet6 fe80::1 dev eth0 rto_min 1.5s mtu lock 1400 linkdown
blackhole 192.168.0.0/16
local 10.0.0.7 dev eth0 table local proto kernel scope host src 10.0.0.7
fd00::/64 dev eth0 proto kernel metric 256 pref medium
unreachable default dev lo metric 4294967295 error -101 pref medium
END
printf '[{"dst":"default","gateway":"10.0.0.1"}]' >routes/json.txt
hex >route_messages/dump <<'END'
48000000 1800 0200 01000000 00000000  02000000 fe030001 00000000
0800 0f00 fe000000  0800 0500 0a000001  0800 0400 02000000
1400 0800 0800 0100 00200000 0800 0d00 05000000
38000000 1800 0200 01000000 00000000  02180000 fe020001 00000000
0800 0100 0a090000  1400 0900 0800 0000 02000000 0800 0000 04000000
14000000 0300 0200 01000000 00000000 00000000
END
hex >route_messages/refused <<'END'
14000000 0200 0000 01000000 00000000 f3ffffff
END
cat >settings/snmp <<'END'
Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin MaxConn OutSegs RetransSegs
Tcp: 1 200 -1 1000000 12
TcpExt: SyncookiesSent PruneCalled
TcpExt: 0 3
END
printf '4096\t131072\t33554432\n' >settings/triple
cat >ledger/lines <<'END'
{"when":"2026-10-02T03:09:06Z","run":"9f86d081884c7d65","by":"pairs","host":"a","peer":null,"kind":"src","cause":"large","events":31,"excess":2.8,"p_value":1e-09,"netan":"0.1.0"}
{"when":"2026-10-03T03:09:06Z", "run":"0f86d081884c7d65", "by":"hang", "host":null, "events":0}
not one
{"when":"2026-10-02T03:09:06Z","run":"9f86\u00e9","by":"hang","host":"b\"\n"}
END
printf '{"when":"2026-10-02T03:09:06Z","run":"0123456789abcdef","by":"hang","host":"a\\"' >ledger/open

# Exports of Nsight Systems, by sqlite3(1), in pages as small as can be.
mkdir -p nsight
database() { rm -f "nsight/$1"; { echo 'PRAGMA page_size=512;'; cat; } | sqlite3 "nsight/$1"; }
kernels='CREATE TABLE StringIds(id INTEGER PRIMARY KEY,value);
	INSERT INTO StringIds VALUES(1,"ncclDevKernel_SendRecv"),(2,"gemm"),
		(3,"ncclSend"),(4,"nccl:all_to_all, op_id = 1"),(5,"ncclGroupStart"),
		(6,"ncclGroupEnd"),(7,"ncclCommInitRank"),(8,"step 3");
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,streamId,
		correlationId,globalPid,shortName);
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100,200,0,7,1,16777216,1),
		(200,300,0,7,2,16777216,2),(110,200,1,7,1,33554432,1);'
database kernels.sqlite <<END
$kernels
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs,systemClockNs);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000,50);
END
database calls.sqlite <<END
$kernels
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start,globalTid,correlationId);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(60,16777217,1),(60,33554433,1);
CREATE TABLE NVTX_EVENTS(start,end,eventType,textId,globalTid,domainId,binaryData);
INSERT INTO NVTX_EVENTS VALUES(10,90,59,4,16777217,0,NULL),(12,13,59,5,16777217,1,NULL),
	(20,30,59,3,16777217,1,x'01000000000000000200000000000000140000000000000034000000000000000900000000000000001000000000000001000000'),
	(40,80,59,6,16777217,1,NULL),(0,400,59,8,16777217,0,NULL),
	(1,2,59,7,16777217,1,x'0100000000000000030000000000000014000000000000003400000000000000090000000000000002000000000000000000000000');
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES(domainId,schemaId,type,name,offset);
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES(1,2,18,'NCCL communicator ID',NULL),
	(1,2,22,'Message size [bytes]',8),(1,2,5,'Peer rank',16),
	(1,3,18,'NCCL communicator ID',NULL),(1,3,5,'No. of ranks',8),
	(1,3,5,'Rank',12),(1,3,5,'CUDA device',16);
END
database view.sqlite <<'END'
CREATE TABLE t(a,b,c,d);
CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT a start,b end,c deviceId,d shortName FROM t;
END
database environment.sqlite <<'END'
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start,end,deviceId,shortName,demangledName);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(1,2,0,1,1),(3,2,0,1,1),(5,6,'x',1,1);
CREATE TABLE META_DATA_CAPTURE(name,value);
INSERT INTO META_DATA_CAPTURE VALUES('PROCESS_0:ENVIRONMENT_VARIABLE','RANK="3"'),
	('PROCESS_0:ENVIRONMENT_VARIABLE','WORLD_SIZE="8"');
CREATE TABLE META_DATA_EXPORT(name,value);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PARAM_TIME_NORMALIZE','true'),('EXPORT_HOST','h');
END

# What the one shard of a session writes: its files, and its messages without
# what is around them.
shard()
{
	local to=nap/$1
	(
		cd "$work"
		netan partial -q --shard 1/1 -o p0.nap report "$1"
		netan merge -q -o plan.nap p0.nap
		netan partial -q --shard 1/1 --plan plan.nap -o p1.nap report "$1"
	)
	cp "$work/p1.nap" "$to.nap"
	python3 - "$to" <<'PY'
import struct, subprocess, sys
d, at, out = open(sys.argv[1] + '.nap', 'rb').read(), 15, b''
while at < len(d):
    kind, n, packed = struct.unpack('<BII', d[at:at + 9])
    p = d[at + 9:at + 9 + (packed or n)]
    at += 9 + len(p) + 4
    if packed:
        p = subprocess.run(['zstd', '-dc'], input=p, stdout=subprocess.PIPE, check=True).stdout
    out += p if kind == 2 else b''
open(sys.argv[1], 'wb').write(out)
PY
}
mkdir -p nap
netan synth -q -o "$work/tiny" --run r --hosts 1 --devices 1 --steps 1 --collectives 1 --ops 1
netan synth -q -o "$work/tinym" --run r --hosts 1 --devices 1 --steps 1 --collectives 1 \
	--ops 1 --generation both
netan synth -q -o "$work/pair" --profile pytorch --hosts 1 --devices 2 --steps 1
mkdir "$work/tinyp"
find "$work/pair/kineto" -name '*.json' | sort | head -n 1 |
	xargs -I {} cp {} "$work/tinyp/rank.json"
shard tinym
shard tinyp
shard tiny
cp "$work/plan.nap" nap/plan.nap
# What others are fed with, to be cut.
mkdir -p slice
cp wire/{gpu,graph-[0-2],markers,message-2,truncated-1}.pb kineto/{rank-new,array}.json \
	capture/{calls,roce}.pcap capture/two-sections.pcapng capfile/cut.pcap slice

# Behind recognising and unpacking: a small one of formats with a magic number.
cp capture/exchange.pcap capture/two-sections.pcapng netan/sections-ops open
cp kineto/gloo.json open/gloo.json
