# What fits on a terminal: words are broken between them and never cut, ranks
# are ranges everywhere, sentences are whole.
netan synth -q -o s --run r --hosts 8 --devices 2 --steps 8 \
	--fault slow-sender:host-3:6
netan synth -q -o g --profile pytorch --hosts 2 --devices 8 --steps 3 \
	--fault stuck-host:5
netan synth -q -o k --profile pytorch --hosts 2 --devices 4 --steps 3 \
	--evidence kineto --fault late-rank:3:20ms
netan synth -q -o x.pcap --condition loss --condition timeout
at()
{
	echo "== $*"
	COLUMNS=$1 && export COLUMNS && shift
	netan "$@"
}
for width in 60 80 120; do
	at $width pairs -q s | sed -n '/^suspect: /,/^pairs/p'
	at $width hang -q g | sed -n '/^Stuck/,/^Hang 1/p'
	at $width slack -q s | sed -n '/^the slowest/,/^$/p'
	at $width collectives -q k | sed -n '/^14/,/^executions$/p'
	at $width sql x.pcap 'SELECT id, severity, title, evidence FROM findings' |
		head -n 8
done
at 60 rpc -q s | head -n 14
at 80 bursts -q k | sed -n '/each rank/,$p'
at 80 check -q g/recorder | head -n 5
at 80 sql -q x.pcap 'SELECT * FROM connections LIMIT 3'
# No row is wider than the terminal.
for width in 60 80 120; do
	COLUMNS=$width && export COLUMNS
	for command in info check timeline latency sizes bursts rpc pairs \
		collectives slack steps hlo; do
		netan $command -q s
	done >out
	for command in info check timeline latency sizes bursts rpc pairs \
		collectives steps; do
		netan $command -q k
	done >>out
	for command in info check timeline latency sizes bursts rpc pairs tcp \
		rdma; do
		netan $command -q x.pcap
	done >>out
	netan hang -q g >>out
	grep -v -e '^More: ' -e '^Draw: ' -e '^ *at: ' out |
		awk -v width=$width '{
			n = $0; gsub(/[\200-\277]/, "", n)
			if (length(n) > width) print width ": " $0 }' |
		sort | uniq
done
