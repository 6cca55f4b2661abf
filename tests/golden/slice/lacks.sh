# What a part cannot tell is said when it is cut, and of it: other hosts, whose
# clocks tell that of one; HLO modules; packets of others.
netan synth -q -o ranks --profile pytorch --hosts 3 --devices 1 --steps 4
netan slice ranks/kineto --host host-2 -o host/ | tail -n 1
netan steps host/* --top 1 | tail -n 1
netan info host/* --format json | grep '"cut"'
netan slice -q host/* --step 2 -o again/
netan info again/* --format json | grep '"cut"'
netan slice -q ranks/kineto --host 'host-*' --from 0s -o all/
netan steps all/* | grep -c 'without the other hosts'
netan synth -q -o tpus --run r --hosts 2 --devices 1 --steps 3 --ops 2
for how in --no-programs --anonymize; do
	rm -rf part
	netan slice tpus $how --step 1 -o part/ | sed -E 's/[0-9.]+ [KM]?i?B/N B/g'
	netan slack part/* | grep 'HLO modules'
	netan timeline part/* | grep -c 'HLO modules'
	netan info part/* --format json | grep -m 1 '"cut"'
done
netan slice -q tpus --step 1 -o whole/
netan slack whole/* | grep -c 'HLO modules'
# A server that is slow now and then is told by all its clients.
netan synth -q -o job.pcap --hosts 4 --seed 1
for part in '--host 10.1.0.2' '--filter "host 10.1.0.2"'; do
	rm -rf part
	eval netan slice -q job.pcap "$part" --from 100ms --to 900ms -o part/
	netan tcp part/* | grep 'packets of others'
	netan timeline part/* | grep -c 'packets of others'
	netan info part/* --format json | grep '"cut"'
done
netan slice -q part/* --from 200ms --to 300ms -o twice/
netan info twice/* --format json | grep '"cut"'
netan slice job.pcap --host 10.1.0.2 -o one.pcap | tail -n 1
exit 0
