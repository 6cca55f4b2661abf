# What was planted is the first that is said, and the verdict says it.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
. "$NETAN_ROOT/tests/golden/check/common"
n=0
try()
{
	n=$((n + 1))
	printf '== %s\n' "$*"
	netan synth -q -o j$n --run r --steps 10 "$@"
	judge j$n
}
judge()
{
	netan check -q "$@" >out 2>err || echo "exit $?"
	sed -n -E '1p; /^(error|warning|info) /p' out
}
try --hosts 8 --devices 2 --fault slow-sender:host-3:3
try --hosts 8 --devices 2 --fault slow-receiver:host-5:3
try --hosts 8 --devices 2 --fault slow-host:host-2:3
try --hosts 8 --devices 2 --fault slow-path:host-1:host-6:4
try --hosts 8 --devices 2 --fault tail:host-3:0.05
try --hosts 4 --fault slow-compute:host-2:2
try --hosts 4 --fault late-input:host-1:20ms
try --hosts 4 --fault late-input:host-1:40ms:0.4
try --hosts 4 --fault stall:all-reduce.40_1:20ms
try --hosts 4 --fault small-slack:all-reduce.40_1
try --hosts 4 --fault clock:host-2:500us
try --hosts 8 --devices 2 --fault clock:host-4:5ms
try --hosts 4 --slices 2 --step-time 500ms --fault clock:host-1:10ms
try --hosts 4 --fault truncate:host-2:0.5
try --hosts 4 --fault bad-key:host-2:50
try --hosts 4 --fault bad-key:host-2:500
try --hosts 4 --fault no-latency:host-2:40
try --hosts 4 --skip-planes 4
try --hosts 4 --only host-1
try --hosts 4 --fault registration:host-2:50
try --hosts 4 --fault copy:host-2:50
try --hosts 4 --fault slow-reduction:host-2:3
try --hosts 4 --fault large-shard:all-reduce.40_1:64MiB
try --hosts 4 --fault program:host-2
echo '== a bad endpoint and a slow host'
try --hosts 8 --devices 2 --fault slow-sender:host-3:3 --fault slow-compute:host-6:2
try --hosts 8 --devices 2 --fault slow-sender:host-3:3 --fault slow-compute:host-3:2
echo '== a minimum timeout of 200 ms explains what comes 200 ms late'
for h in 0 1 2 4 5 6 7; do settings host-$h 5000; done
settings host-3 200000
judge j5 --host-settings settings
echo '== and where nothing comes late'
judge j1 --host-settings settings
echo '== at capacity'
netan synth -q -o full --run r --hosts 4 --steps 10 --link-rate 20Gbps
judge full --capacity 15Gbps
echo '== what cannot hide, on a link with room'
judge j10 --capacity 200Gbps
echo '== in bursts that nobody waits for, and that all wait for'
netan synth -q -o burst --run r --hosts 16 --devices 2 --steps 4 --step-time 500ms
judge burst
netan synth -q -o waits --run r --hosts 8 --collectives 1 --step-time 60ms \
	--fault small-slack:all-gather.12_0
judge waits
echo '== small transfers'
netan synth -q -o small --run r --hosts 4 --steps 10 --devices 1 \
	--collectives 2 --chunk 16KiB
judge small
for kind in loss timeout zero-window window-limited idle; do
	echo "== packets: $kind"
	netan synth -q -o $kind.pcap --condition $kind --rpcs 0 --roce 0
	judge $kind.pcap
done
echo '== nothing but packets of calls'
netan synth -q -o calls.pcap --connections 1 --rpcs 400 --roce 0
judge calls.pcap
