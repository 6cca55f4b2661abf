# Packets of a window are those that other tools cut out; beside them only the
# first one of the file, without its bytes.
for f in capinfos editcap tshark; do
	command -v $f >/dev/null || { echo "skip: there is no $f"; exit 77; }
done
netan synth -q -o j.pcap --size 1MB
netan synth -q -o j.pcapng --size 1MB
shark() { tshark -n -r "$@" 2>/dev/null; }
packets() { shark "$1" -T fields -e frame.time_epoch -e frame.len -e frame.cap_len -e ip.src -e tcp.seq_raw -e frame.protocols; }
for f in j.pcap j.pcapng; do
	first=$(shark $f -c 1 -T fields -e frame.time_epoch)
	from=$(echo "$first" | awk -F. '{ printf "%d.%s", $1 + 1, $2 }')
	to=$(echo "$first" | awk -F. '{ printf "%d.%s", $1 + 3, $2 }')
	netan slice -q $f --from 1s --to 3s -o cut.$f
	editcap -A "$from" -B "$to" $f ed.$f
	packets cut.$f | tail -n +2 >a
	packets ed.$f >b
	cmp a b && [ -s a ] && echo "$f: as editcap cuts it"
	shark cut.$f -c 1 -T fields -e frame.cap_len
	[ "$(shark cut.$f -c 1 -T fields -e frame.time_epoch)" = "$first" ] || echo "another origin"
	netan slice -q $f --from 1s --to 3s --host 10.1.0.2 -o one.$f
	shark one.$f -Y 'ip and not ip.addr == 10.1.0.2' | wc -l
	netan slice -q $f --from 0s --filter udp -o udp.$f
	shark udp.$f -Y tcp | wc -l
	shark udp.$f -Y udp >a
	shark $f -Y udp >b
	[ "$(wc -l <a)" = "$(wc -l <b)" ] && [ -s a ] && echo "all of UDP"
done
netan slice j.pcap --from 1s --to 2s -o x.pcap 2>&1 | sed -E 's/[0-9.]+ [KM]?i?B/N B/g; s/[0-9]+ events? of .*/N events/'
