# A signal that ends netan, and a limit of the size of files, leave no
# temporary file, and are said.
netan synth -q -o job --hosts 2
mkfifo pipe
ended()
{
	signal=$1
	shift
	echo "== $signal: netan $*"
	# The pipe holds it where it is: its output is begun, and not done.
	exec 9<>pipe
	netan "$@" >out 2>err &
	pid=$!
	k=0
	while [ $((k += 1)) -lt 1200 ]; do
		ls | grep -q '\.tmp$' && break
		sleep 0.05
	done
	ls | grep -q '\.tmp$' && echo "begun"
	kill -$signal $pid
	{ wait $pid; } 2>nul
	echo "status $?"
	exec 9>&-
	cat err
	ls -A | grep '\.tmp'
}
ended TERM partial --shard 1/1 -o x.nap pairs pipe
ended HUP partial --shard 1/1 -o x.nap pairs pipe
echo "== the size of files"
for c in "timeline job -o x.svg" "ingest job -o x.netan" "report job -o x.html" \
	"report job -o folder" "ingest job -o dir/" "synth -o y.pcap" \
	"synth -o yy" "pairs job -o x.csv -o x.json"; do
	(
		ulimit -f 1
		netan -q $c >out 2>err || netan $c >out 2>err
	)
	find . -name '*.tmp*'
	grep -c 'File too large' err
done
