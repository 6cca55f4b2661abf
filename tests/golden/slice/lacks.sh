# What a part cannot tell is said when it is cut, and of it: other hosts, whose
# clocks tell that of one; HLO modules.
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
exit 0
