# Latencies by size; one legend entry for each size is no legend.
equiv=$NETAN_ROOT/notebooks-equiv
sh "$equiv/01_latency.sh" --parity --no-picture -o out \
	"$NETAN_ROOT/tests/data/notebook-a.xplane.pb"
awk -F '\t' '
	function same(a, b) { d = a - b; return d < 1e-9 && d > -1e-9 }
	BEGIN { class[1024] = "[1 KiB, 2 KiB)"; class[65536] = "[64 KiB, 128 KiB)"
		class[1048576] = "[1 MiB, 2 MiB)"; class[8388608] = "[8 MiB, 16 MiB)" }
	FNR == NR && FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	FNR == NR { for (c in at) got[$1, c] = $at[c]; next }
	$1 == "latency" && $2 == "a" { k = class[$3]; rows++
		equal += got[k, "count"] == $4 && same(got[k, "min_us"], $5) &&
			same(got[k, "mean_us"], $6) && same(got[k, "p50_us"], $7) &&
			same(got[k, "max_us"], $8) }
	END { print "latency:", equal, "equal of", rows
	}' out/latency.tsv "$NETAN_ROOT/tests/oracle/notebook.tsv"
awk -F '\t' 'NR > 1 { n += $2 } END { print n, "over time" }' out/latency_time.tsv
# A run with a size of its own for every transfer: still few rows.
netan synth -o t --profile network --events 20000 >/dev/null
sh "$equiv/01_latency.sh" --no-picture -o many t
awk 'END { print (NR <= 66 ? "classes" : "one for each size") }' many/latency.tsv
