# A transfer file holds connections as a whole: of a window that cuts through
# them tcp and check say so, and acquit nobody.
netan synth -q -o j.pcap --size 1MB
netan ingest -q -o j.netan j.pcap
netan tcp j.netan --from 5s --to 5100ms
netan tcp j.netan --from 1s --to 6s 2>/dev/null | grep -E '^tcp|as a whole'
netan check j.netan --from 5s --to 6s >said
head -n 1 said
grep -E 'as a whole|^tcp-conn' said
echo "connections that are inside of it, and all"
for w in "" "--to 1h"; do
	netan check j.netan $w | grep -c 'as a whole'
done
netan check j.pcap --from 5s --to 6s | head -n 1
