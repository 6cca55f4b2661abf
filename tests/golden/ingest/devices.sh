# What device planes tell comes out of a transfer file as from the trace:
# ops, how they are joined to their collective, busy times, modules.
netan synth -o tpu --hosts 2 --steps 4 >/dev/null
netan synth -o gpu --profile gpu --hosts 2 --steps 4 >/dev/null
for d in tpu gpu; do
	netan ingest -o $d.netan $d >/dev/null
	netan ingest -o again.netan $d.netan >/dev/null
	for c in slack steps collectives; do
		netan $c --format csv $d >trace.csv 2>trace.err
		for f in $d again; do
			netan $c --format csv $f.netan >file.csv 2>/dev/null
			cmp trace.csv file.csv && wc -l <file.csv
		done
	done
done
netan slack tpu | grep 'joined'
netan slack tpu.netan 2>/dev/null | grep 'joined'
netan hlo tpu.netan
echo "exit $?"
