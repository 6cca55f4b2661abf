# --step has what is of that step: not what its neighbours do meanwhile, which
# begin earlier on some devices and end later on others.
netan synth -q -o s --run r --hosts 4 --steps 4 --ici 1 --fault slow-sender:1:3
netan synth -q -o g --profile pytorch --hosts 2 --devices 2 --steps 4 \
	--fault late-rank:1:5ms
ask() { netan sql "$@" --format csv | tail -n +2; }
executions()
{
	netan collectives "$@" --format csv |
		awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ n[$at["network"]] += $at["executions"] }
			END { print "collectives", n["dcn"], n["ici"] }'
}
for step in 0 1 2 3 1-2; do
	ask s --step $step 'SELECT min(step), max(step), count(*) FROM executions'
	executions s --step $step
	ask g/kineto --step $step 'SELECT count(*), count(DISTINCT rank)
		FROM operations'
done
echo "== of devices whose hosts tell no executions"
netan synth -q -o m --run r --hosts 4 --steps 4 --generation message \
	--fault slow-sender:1:3
for step in 0 1 2 3 1-2; do
	executions m --step $step
done
echo "== operations of the library"
ask g/kineto --from 50ms --to 0.1s 'SELECT count(*), min(end_ns) >= 50000000,
	max(end_ns) < 100000000 FROM operations'
ask g/kineto 'SELECT count(*) FROM operations
	WHERE end_ns >= 50000000 AND end_ns < 100000000'
ask g/kineto --collective 'ALL_*' \
	'SELECT operation, count(*) FROM operations GROUP BY 1'
netan export g/kineto --step 2 -o g.sqlite
ask g.sqlite 'SELECT count(*) FROM operations'
