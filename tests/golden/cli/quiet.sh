# -q of the commands that write: nothing but errors.
netan synth -q -o t.pcap --connections 1 --rpcs 1 --roce 1
netan ingest -q t.pcap -o t.netan
ls
netan ingest -q none.pcap -o u.netan
echo "exit $?"
