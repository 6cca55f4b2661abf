# Every packet in the bin of its time: all bytes are there, whatever the bins;
# what a host receives and sends adds up over both sides.
netan synth -o c.pcap --connections 4 --rpcs 60 --roce 20 --size 400kB >/dev/null
netan timeline c.pcap
grep -o '"wire_bytes": [0-9]*' c.pcap.truth.json | head -n 1
sum()
{
	netan timeline c.pcap "$@" --format csv | awk -F, -v bin="$bin" '
		NR > 1 { rx += $2 * bin * 1e9 / 8; tx += $3 * bin * 1e9 / 8 }
		END { printf "%.0f %.0f\n", rx, tx }'
}
for bin in 0.001 0.01 0.1; do
	sum --bin ${bin}s
done
bin=0.01
for host in 10.1.0.1 10.1.0.2 10.1.0.3 10.1.0.4; do
	sum --bin 10ms --host $host
	sum --bin 10ms --dst $host
	sum --bin 10ms --src $host
done
echo '10.1.0.1,alpha
10.1.0.2,beta
10.1.0.3,beta' >hosts.csv
netan timeline c.pcap --hosts hosts.csv --by host --format csv --table series |
	awk -F, 'NR > 1 { s[$2] += $3 } END { for (h in s) printf "%s %.3f\n", h, s[h] }' | sort
netan timeline c.pcap --hosts hosts.csv --host alpha --capacity 1Gbps --bin 1ms |
	sed -n 1,12p
netan timeline c.pcap --collective x | tail -n 4
