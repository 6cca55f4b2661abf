# Packets of a window are those that other tools cut out; of pcap behind a frame
# that says what the file is.  For netan that is no packet.
for f in capinfos editcap tshark; do
	command -v $f >/dev/null || { echo "skip: there is no $f"; exit 77; }
done
netan synth -q -o j.pcap --size 1MB
netan synth -q -o j.pcapng --size 1MB
shark() { tshark -n -r "$@" 2>/dev/null; }
packets() { shark "$@" -T fields -e frame.time_epoch -e frame.len -e frame.cap_len -e ip.src -e tcp.seq_raw -e frame.protocols; }
counted() { netan info "$1" --format json | grep -E '"(packets|non_ip|malformed|cut_packets)"' | sort | uniq -d; }
for f in j.pcap j.pcapng; do
	first=$(shark $f -c 1 -T fields -e frame.time_epoch)
	from=$(echo "$first" | awk -F. '{ printf "%d.%s", $1 + 1, $2 }')
	to=$(echo "$first" | awk -F. '{ printf "%d.%s", $1 + 3, $2 }')
	netan slice -q $f --from 1s --to 3s --no-connections -o cut.$f
	editcap -A "$from" -B "$to" $f ed.$f
	packets cut.$f -Y 'not eth.type == 0x88b5' >a
	packets ed.$f >b
	cmp a b && [ -s a ] && echo "$f: as editcap cuts it"
	shark cut.$f -Y 'eth.type == 0x88b5' -T fields -e frame.number \
		-e frame.protocols
	[ "$f" = j.pcap ] && [ "$(shark cut.$f -c 1 -T fields -e frame.time_epoch)" != "$first" ] && echo "another origin"
	capinfos -k cut.$f 2>/dev/null | grep -o 'cut by.*' || grep -ao 'cut by[^;]*;' cut.$f
	[ "$(counted cut.$f)" = "$(counted ed.$f)" ] || echo "another count"
	netan info cut.$f | sed -n '1p;$p'
	netan slice -q cut.$f --from 1s --to 2s -o again.$f
	grep -ao 'cut by[^;]*;' again.$f
	netan slice -q $f --from 1s --to 3s --host 10.1.0.2 -o one.$f
	shark one.$f -Y 'ip and not ip.addr == 10.1.0.2' | wc -l
	netan slice -q $f --from 0s --filter udp -o udp.$f
	shark udp.$f -Y tcp | wc -l
	shark udp.$f -Y udp >a
	shark $f -Y udp >b
	[ "$(wc -l <a)" = "$(wc -l <b)" ] && [ -s a ] && echo "all of UDP"
done
netan slice j.pcap --from 1s --to 2s --no-connections -o x.pcap 2>&1 | sed -E 's/[0-9.]+ [KM]?i?B/N B/g; s/[0-9]+ events? of .*/N events/'
echo "read without a window, and with a wider one"
netan tcp cut.j.pcapng --format json -q 2>&1 >a
netan tcp cut.j.pcapng --from 1s --to 3s --format json -q >b
sed -n '/^ *"result"/,$p' a >a.result
sed -n '/^ *"result"/,$p' b >b.result
cmp a.result b.result && echo same
netan tcp cut.j.pcapng | grep slice
netan tcp cut.j.pcapng --from 0s --to 3s 2>&1 >/dev/null
# Files without anything in the window are left out, and what began there is
# not counted.
echo "a capture in several files, connections in more than one"
editcap -c 200 j.pcap part.pcap
result() { netan "$@" --from 5s --to 6s --format json -q | sed -n '/^ *"result"/,$p' | grep -v '"path"'; }
netan slice -q part_*.pcap --from 5s --to 6s -o parts/ 2>/dev/null
ls part_* | wc -l
ls parts | wc -l
for c in latency tcp; do
	result $c part_*.pcap >a
	result $c parts/* >b
	cmp a b && [ -s a ] && echo "$c: same"
done
