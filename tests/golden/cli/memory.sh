# A session that does not fit: what is more lies in a temporary file, and every
# command prints the same bytes.
# Not sanitized: the units of netan/base/memory run sanitized.
netan synth -o many --profile network --size 100MB >/dev/null
netan synth -o devices --profile typical --size 40MB >/dev/null
ask()
{
	local session=$1 c
	shift
	for c in "$@"; do
		netan $c $session --format json -q >ample.json
		echo "exit $?"
		netan $c $session --format json -v --memory 32MB >little.json 2>said
		echo "exit $?"
		cmp ample.json little.json && echo "$c: same"
		[ $session = devices ] && continue # nearly all fits
		sed -n 's/^netan: \(memory: .* were spilled\).*/\1/p' said |
			sed 's/, [0-9]* MB/, some/'
	done
}
ask many info latency sizes timeline bursts rpc pairs collectives
ask devices steps slack check
for memory in 32MB 9GB; do
	for c in ingest:netan report:html; do
		netan ${c%:*} many -o $memory.${c#*:} --memory $memory -v 2>&1 >/dev/null |
			sed -n 's/^netan: memory: .*/memory: told/p'
	done
done
cmp 32MB.netan 9GB.netan && cmp 32MB.html 9GB.html && echo same
netan info many -v 2>&1 | grep memory:
netan info many --memory 31MB
netan info many --memory much
netan info many --memory 64M
netan info many --memory 10
netan info many --memory 0
