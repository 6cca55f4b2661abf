# A capture that is cut off beside traces: both kinds are told apart and the
# damage is said in the first lines, once; no capture is asked for that was
# given; the finding's evidence says what its title does not.
netan synth -o t --run r --hosts 3 --devices 1 --steps 4 -q
netan synth -o whole.pcap -q
head -c 60 whole.pcap >cut.pcap
for capture in whole cut; do
	netan check -q t $capture.pcap |
		sed -n '/trace-quality/,/^Conf/p;/^tcp-conn/p;/^rdma/p;/^looked/p'
done
netan check -q t | grep '^tcp-conn\|^looked'
netan info -q t cut.pcap | sed -n 1,5p
