# The same bytes for any number of threads; the parts of a step are all of it.
netan synth -o t --run r --hosts 3 --devices 2 --steps 12 --ops 40 \
	--fault slow-compute:0:1.1 >/dev/null
netan steps t --format json -j1 >a
netan steps t --format json -j7 >b
cmp a b && echo same
netan steps t -j1 -o a.svg
netan steps t -j5 -o b.svg
cmp a.svg b.svg && echo same picture
for table in steps hosts; do
	netan steps t --format tsv --table $table | awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		{ whole = $col["duration_ms" in col ? "duration_ms" : "mean_ms"]
		  parts = $col["compute_ms"] + $col["exposed_ms"] + $col["idle_ms"]
		  nets = $col["exposed_dcn_ms"] + $col["exposed_ici_ms"] + $col["exposed_gpu_ms"]
		  d = whole - parts; e = $col["exposed_ms"] - nets
		  if (d * d + e * e > 1e-18) bad++
		  n++ }
		END { print n, "rows, parts that do not add up:", bad + 0 }'
done
