# What a slice says that is read alone: a capture that was cut by the steps of
# a trace beside it, one that comes through a pipe, one whose mark is no
# window, one of too few steps to name a host.
netan synth -q -o job --run r --hosts 4 --devices 2 --steps 8 --seed 3
netan synth -q -o j.pcap --size 1MB
netan slice -q job j.pcap --step 2-3 -o cut/
find cut -type f | LC_ALL=C sort
mark=$(netan info cut/j.pcap | grep 'is a slice')
echo "$mark" | sed -E 's/[0-9]+ps/Nps/g'
body()
{
	netan "$@" --format json -q | grep -v '"input"' | sed -n '/^ *"result"/,$p'
}
for c in tcp rpc; do
	body $c cut/j.pcap >alone
	body $c job j.pcap --step 2-3 >whole
	[ -s alone ] && cmp alone whole && echo "$c: as the whole in these steps"
done
echo "through a pipe"
mkfifo pipe
cat j.pcap >pipe &
netan tcp job pipe --step 2-3 2>&1 | grep -E 'pipe|^tcp'
echo "connections of a transfer file, which are whole"
netan ingest -q j.pcap -o j.netan
for window in "--step 2-3" "--from 200ms --to 400ms"; do
	netan tcp job j.netan $window 2>&1 | grep 'reach beyond'
done
echo "no window"
LC_ALL=C sed 's/--from 1/--from 9/' cut/j.pcap >odd.pcap
netan tcp odd.pcap 2>&1 | grep -E 'slice|^tcp' | sed -E 's/[0-9]+ps/Nps/g'
echo "one step"
netan slice -q job --step 2 -o one/
netan check one | grep -E '^straggler'
netan slice job --step 2 -o two/ | sed -n '/^next/,$p'
echo "no whole step: the window that has some is of the original"
netan slice -q job --from 220ms --to 230ms -o none/
netan slice -q job --from 0s --to 600ms -o more/
for slice in job none more; do
	netan steps $slice --from 220ms --to 230ms 2>&1 | head -n 1
done
