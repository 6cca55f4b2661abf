# slice --anonymize of captures: what commands say is what they say of the
# slice with names, but for these; tshark finds the same connections, marks and
# checksums, and nothing malformed; and no name that was planted is left.
for f in tshark editcap; do
	command -v $f >/dev/null || { echo "skip: there is no $f"; exit 77; }
done
netan synth -q -o j.pcap --size 1MB --seed 3
netan synth -q -o j.pcapng --size 1MB
# Names of as many letters, in payloads, comments and interfaces.
LC_ALL=C sed 's/snoksdbjwo/zq02secret/g' j.pcap >zq01.pcap
editcap -a 1:zq03comment --capture-comment zq04comment j.pcapng zq05.pcapng
LC_ALL=C sed -i 's/eth0/zq06/g' zq05.pcapng
shark()
{
	tshark -n -r "$1" -o tcp.check_checksum:TRUE -o udp.check_checksum:TRUE \
		-o ip.check_checksum:TRUE -Y 'not eth.type == 0x88b5' \
		-T fields -e tcp.stream -e tcp.len -e frame.len \
		-e frame.time_epoch -e tcp.analysis.retransmission \
		-e tcp.analysis.out_of_order -e tcp.analysis.duplicate_ack \
		-e tcp.analysis.lost_segment -e tcp.analysis.window_full \
		-e ip.checksum.status -e tcp.checksum.status \
		-e udp.checksum.status -e udp.length -e http2.type \
		-e http2.streamid -e infiniband.bth.psn 2>/dev/null
}
body()
{
	netan "$@" --anonymize --format json -q 2>/dev/null |
		sed -n '/^ *"result"/,$p' | grep -v '"path"\|"command"'
}
# Of the job, in binary: 10.1.0.1 to 10.1.0.15.
addresses_in()
{
	od -An -v -tx1 "$1" | tr -s '\n' ' ' | grep -o '0a 01 00 0[1-f]' | wc -l
}
for f in zq01.pcap zq05.pcapng; do
	for how in --no-connections ""; do
		w="--from 1s --to 4s"
		netan slice -q $f $w $how -o plain.pcap
		netan slice -q $f $w $how --anonymize -o bare.pcap
		for c in timeline latency sizes bursts rpc pairs tcp rdma check; do
			body $c plain.pcap $w >a
			body $c bare.pcap $w >b
			cmp a b || echo "$c differs"
		done
		shark plain.pcap >a
		shark bare.pcap >b
		cmp a b && [ -s a ] && echo "$f $how: the same"
		tshark -n -r bare.pcap -Y _ws.malformed 2>/dev/null | wc -l
		cat plain.pcap | LC_ALL=C grep -ac zq0
		cat bare.pcap | LC_ALL=C grep -ac zq0
		echo "$(addresses_in plain.pcap), $(addresses_in bare.pcap)"
	done
done
echo "one address is another one in all files of a run, and in a slice of one"
netan slice -q --anonymize zq01.pcap zq05.pcapng --from 0s -o both/
ls both
addresses() { tshark -n -r "$1" -T fields -e ip.addr 2>/dev/null | tr , '\n' | sort -u | grep .; }
addresses both/input-1.pcap >a
addresses both/input-2.pcapng >b
comm -12 a b | wc -l
head -n 2 a
netan slice -q --anonymize both/input-1.pcap --from 0s -o again.pcap
addresses again.pcap | comm -12 - a | wc -l
