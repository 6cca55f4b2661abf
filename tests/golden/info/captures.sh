# Captures as people see them: what is in them, addresses with names, filters,
# several files, and captures beside traces.
seeds=$NETAN_ROOT/tests/fuzz/corpus/capture
cp "$seeds"/*.pcap .
run() { echo "\$ netan $*"; netan "$@" 2>&1; echo "exit $?"; }
run info calls.pcap
run info exchange.pcap --filter 'src host 10.0.0.2'
run info roce.pcap --filter 'udp prt 4791'
run info calls.pcap --filter 'udp'
run rpc calls.pcap --filter 'udp' | tail -n 3
head -c 24 calls.pcap >empty.pcap
run info empty.pcap
run latency empty.pcap
head -c 20 calls.pcap >stub.pcap
run info stub.pcap
head -c 150 calls.pcap >cut.pcap
run info cut.pcap --strict

cat >hosts.csv <<'END'
address, host, slice
# two hosts
10.0.0.1, host-0, 0
10.0.0.2, server, 1
fd00::9, server
END
run latency roce.pcap --hosts hosts.csv --by host --format csv | cut -d, -f 1-4
run latency roce.pcap --hosts hosts.csv --src 'host-*' | head -n 3
run pairs roce.pcap --hosts hosts.csv --level host --format csv
echo '10.9.9.9,elsewhere' >none.csv
run info calls.pcap --hosts none.csv
echo '10.0.0.1;host-0' >bad.csv
run info calls.pcap --hosts bad.csv
printf '10.0.0.1,a\n10.0.0.1,b\n' >bad.csv
run info calls.pcap --hosts bad.csv
echo 'ten.example,a' >bad.csv
run info calls.pcap --hosts bad.csv
echo '10.0.0.1,a,first' >bad.csv
run info calls.pcap --hosts bad.csv
run info calls.pcap --hosts missing.csv

netan rpc calls.pcap --format csv >want
ways='cat gzip'
command -v zstd >/dev/null && ways="$ways zstd"
for way in $ways; do
	$way <calls.pcap >packed
	netan rpc --format csv - <packed | cmp - want || echo "$way: differs"
	$way <calls.pcap | netan rpc --format csv - | cmp - want || echo "$way, piped: differs"
done

mkdir both
cp calls.pcap exchange.pcap both
run info both
run info calls.pcap both
run info --label one calls.pcap --label two both/calls.pcap
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
run info t calls.pcap
# The same packets, at the time of the traces: 2026-01-05 10:00:00 UTC.
{
	head -c 24 calls.pcap
	tail -c +25 calls.pcap | od -An -v -to1 | tr -d '\n' |
		sed 's/ 000 361 123 145/ 240 213 133 151/g; s/ /\\0/g' |
		{ read -r s || true; printf '%b' "$s"; }
} >now.pcap
run info t now.pcap --hosts hosts.csv
run pairs t now.pcap --hosts hosts.csv --level host --component rpc
run info t --filter tcp
run info t --hosts hosts.csv
cp calls.pcap t/plugins/profile/r
run info t/plugins/profile/r | tail -n 4
