# Small captures: what is printed, and bytes that must not depend on the
# compiler or the machine.
netan synth -o a.pcap --seed 5 --size 2MB --rpcs 20 --roce 20
cat a.pcap a.pcap.truth.json | cksum
netan synth -o b.pcapng --connections 2 --condition loss --rpcs 0 --roce 0 \
	--hosts 2 --snaplen 96 --size 1MB --compress gzip
gzip -dc b.pcapng.gz | cat - b.pcapng.truth.json | cksum
