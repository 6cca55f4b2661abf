# --host cuts packets out of a capture, and nothing out of a transfer file that
# was made of one, which is said.
netan synth -o job.pcap -q
netan ingest job.pcap -o job.netan -q
netan slice job.pcap --host 10.1.0.1 -o part.pcap -q
netan slice job.netan --host 10.1.0.1 -o part.netan
netan slice job.netan --from 0s --to 1s -o window.netan -q
for file in job.pcap part.pcap job.netan part.netan; do
	netan tcp $file -q | sed -n 's/.*, \([0-9]* connections used\).*/\1/;1p'
done
