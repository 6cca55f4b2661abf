# Every command that any command names, in findings, notes and errors, is one
# that netan takes as it stands there, on the input that it was said of.
commands='info timeline latency sizes bursts rpc pairs collectives slack steps
	hlo tcp rdma check hang'
for name in $commands; do
	netan $name --help |
		sed -n "s/^ *\(-., \)*\(--[a-z-]*\) [^ ].*/$name \2/p"
	echo "$name -o"
done >takes
synth()
{
	netan synth -q -o "$@"
}
synth sender --hosts 8 --devices 1 --steps 10 --fault slow-sender:3:3
synth compute --hosts 6 --devices 1 --steps 12 --fault slow-compute:2:1.5
synth input --hosts 4 --devices 1 --steps 12 --fault late-input:1:20ms
synth late --hosts 4 --devices 1 --steps 12 --fault tail:1:0.01
synth stall --hosts 4 --devices 1 --steps 12 --without hlo \
	--fault stall:all-reduce.19_1:20ms
synth program --hosts 4 --devices 1 --steps 6 --fault program:2 \
	--fault copy:1:50 --fault no-latency:3:9
synth ranks --profile pytorch --hosts 4 --devices 2 --fault late-rank:3:20ms
synth stuck --profile pytorch --hosts 4 --devices 2 --fault stuck-host:3
synth job.pcap --rpcs 60 --roce 60
for input in sender compute input late stall program ranks/kineto \
	stuck/recorder job.pcap; do
	for name in $commands; do
		netan $name $input
	done >said 2>&1
	awk -v takes=takes -f "$NETAN_ROOT/tests/golden/check/suggested.inc" said |
		sort -u >lines
	while read -r name line; do
		case " $(echo $commands) sysctl " in
		*" $name "*) ;;
		*) continue ;;
		esac
		echo "netan $name${line:+ $line}"
		set -f
		netan $name $line $([ $name = sysctl ] || echo $input) >out 2>&1 </dev/null
		[ $? != 2 ] || { echo "netan $name $line $input"; cat out; } >>failed
		set +f
	done <lines
done | sort -u
[ ! -e failed ] || cat failed
