# What was planted is found to the picosecond, sums over the steps of a host;
# and who was made slow is named, with the cause.
check()
{
	rm -rf t
	netan synth -o t --run r --hosts 4 --devices 1 --steps 16 --ops 20 \
		--seed 11 "$@" >/dev/null
	netan steps t --format tsv --table hosts >rows
	sed -n '/"device_steps": \[/,$p' t/truth.json | grep '"exposed_ps"' |
		tr -d '{}",:' >planted
	awk 'NR == FNR { for (i = 1; i < NF; i += 2) v[$i] = $(i + 1)
			 for (k in v) truth[v["host"], k] += v[k]
			 n[v["host"]]++; next }
		FNR == 1 { split($0, name, "\t"); next }
		{ split($0, x, "\t")
		  for (i in name) v[name[i]] = x[i]
		  h = v["host"]; same = v["steps"] == n[h]
		  split("mean compute exposed exposed_dcn exposed_ici idle", a, " ")
		  split("duration compute exposed dcn ici idle", b, " ")
		  for (i in a) {
			d = v[a[i] "_ms"] * n[h] * 1e9 - truth[h, b[i] "_ps"]
			if (d > 0.5 || d < -0.5) same = 0
		  }
		  print h, n[h], same ? "same" : "differs" }' \
		planted FS='\t' rows
	netan steps t --format tsv --table stragglers | cut -f 1-4,6,7
}
check --ici 3
check --ici 2 --fault slow-compute:3:1.1
check --fault late-input:1:2ms --fault clock:2:3ms
check --fault slow-sender:host-2:4 --fault clock:0:-2ms
netan synth -o g --run r --profile gpu --hosts 3 --steps 12 \
	--fault slow-compute:2:1.2 >/dev/null
netan steps g | sed -n 3p
# Around a ring, one way, clocks are known badly: nobody is accused for that.
netan synth -o h --run r --hosts 8 --devices 1 --steps 8 --collectives 3 \
	--pattern ring >/dev/null
netan steps h | sed -n 3p
# A few steps cost more than the noise of many.
netan synth -o f --run r --hosts 4 --devices 1 --steps 300 --collectives 2 \
	--ops 1 --fault late-input:1:10ms:0.1 >/dev/null
netan steps f --format tsv --table stragglers | cut -f 1,2
