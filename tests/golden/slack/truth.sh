# What was planted is found to the picosecond: sums over all executions.
netan synth -o t --run r --hosts 4 --devices 2 --steps 5 --collectives 9 \
	--seed 7 --fault stall:all-reduce.19_1:1ms \
	--fault small-slack:all-reduce.26_2 --fault slow-host:1:2 >/dev/null
netan slack t --late 0 --format tsv >rows
fields='slack observed stall send send_done recv recv_done host_stall'
sed -n '/"collectives": \[/,$p' t/truth.json | tr '{' '\n' |
	grep '"collective".*"slack_ps"' | tr -d '",:' >planted
wc -l <planted
awk -v fields="$fields" '
	NR == FNR { for (i = 1; i < NF; i++) truth[$2, $i] = $(i + 1); next }
	FNR == 1 { split($0, name, "\t"); next }
	{
		n = split($0, x, "\t")
		for (i = 1; i <= n; i++) v[name[i]] = x[i]
		c = v["collective"]
		k = split(fields, f, " ")
		same = v["occurrences"] == truth[c, "occurrences"] &&
			v["bytes"] * v["occurrences"] == truth[c, "bytes"]
		for (i = 1; i <= k; i++) {
			us = f[i] "_us"
			if (us ".mean" in v) us = us ".mean"
			got = v[us] * v["occurrences"] * 1e6
			d = got - truth[c, f[i] "_ps"]
			same = same && d < 0.5 && d > -0.5
		}
		print c, v["occurrences"], same ? "same" : "differs"
	}' planted FS='\t' rows | sort
