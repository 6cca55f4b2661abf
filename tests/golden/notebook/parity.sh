# With --parity the notebook's numbers, from another implementation
# (tests/oracle/notebook.py), where the notebook is right: trace a.
equiv=$NETAN_ROOT/notebooks-equiv
oracle=$NETAN_ROOT/tests/oracle/notebook.tsv
trace=$NETAN_ROOT/tests/data/notebook-a.xplane.pb
run()
{
	sh "$equiv/$1" --parity --no-picture -o out "$trace"
}

run 02_sizes.sh
awk -F '\t' '
	FNR == NR { if ($1 == "size" && $2 == "a") { n[$3] = $4; p[$3] = $5 }
		next }
	FNR > 1 { equal += n[$2] == $3 && p[$2] == $4; rows++ }
	END { print "sizes:", equal, "equal of", rows }' "$oracle" out/sizes.tsv

# Windows before the first transfer and after the last hold nothing.
run 03_in_flight.sh
awk -F '\t' '
	FNR == NR { if (FNR > 1) got[$1, sprintf("%.0f", $2 * 10)] = $3; next }
	$1 == "inflight" && $2 == "a" { rows++; equal += got[$3, $4] + 0 == $5 }
	END { print "in flight:", equal, "equal of", rows
	}' out/in_flight.tsv "$oracle"

run 04_throughput.sh
awk -F '\t' '
	FNR == NR { if (FNR > 1) got[sprintf("%.0f", $1 * 1000)] = $2; next }
	$1 == "throughput" && $2 == "a" {
		rows++
		d = got[$3] - $4
		equal += d < 1e-9 && d > -1e-9
		sum += $4 > 0 }
	END { print "throughput:", equal, "equal of", rows, "(" sum " with any)"
	}' out/throughput.tsv "$oracle"
