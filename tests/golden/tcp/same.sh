# The same bytes on any number of threads.
cp "$NETAN_ROOT/tests/data/tcp.pcap" .
netan tcp tcp.pcap -j 1 -o 1.json -o 1.svg -o 1.csv
for j in 2 7; do
	netan tcp tcp.pcap -j $j -o $j.json -o $j.svg -o $j.csv
	cmp $j.json 1.json && cmp $j.svg 1.svg && cmp $j.csv 1.csv && echo same
done
