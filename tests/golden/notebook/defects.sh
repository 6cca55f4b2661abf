# What the notebook does wrong, and what is right: trace c.
equiv=$NETAN_ROOT/notebooks-equiv
oracle=$NETAN_ROOT/tests/oracle/notebook.tsv
trace=$NETAN_ROOT/tests/data/notebook-c.xplane.pb
run()
{
	sh "$equiv/$1" --parity --no-picture -o out "$trace" >/dev/null
}

# One transfer of 64 KiB is in flight from 0.15 s to 0.45 s; its windows
# without an event are no zeros.
run 03_in_flight.sh
echo 'in flight, 64 KiB: window, notebook, here'
awk -F '\t' '
	FNR == NR { if (FNR > 1) got[$1, sprintf("%.0f", $2 * 10)] = $3; next }
	$1 == "inflight" && $2 == "c" && $3 == 65536 && $4 >= 1 && $4 <= 4 {
		print $4, $5, got[$3, $4] }' out/in_flight.tsv "$oracle"

# Two of 1 KiB, then two of 1 MiB: the maxima of the sizes add up to 4, but
# four were never in flight.
echo 'in flight, window 5: stacked maxima, maximum of the sum'
awk -F '\t' '
	FNR == NR { if (sprintf("%.0f", $2 * 10) == 5 && $1 == "all") all = $3
		next }
	$1 == "inflight" && $2 == "c" && $4 == 5 { sum += $5 }
	END { print sum, all }' out/in_flight.tsv "$oracle"

# A latency of 0 and a message of a slice to itself: neither an infinite rate
# nor network traffic.
run 04_throughput.sh
echo 'throughput: numbers that are none, in the notebook and here'
awk -F '\t' '$1 == "throughput" && $2 == "c" && $4 ~ /inf|nan/ { n++ }
	END { print n + 0 }' "$oracle"
awk -F '\t' 'NR > 1 && $2 !~ /^[0-9.e-]+$/ { n++ } END { print n + 0 }' \
	out/throughput.tsv
echo 'bytes: in the windows, of the network in the trace'
awk -F '\t' 'NR > 1 { n += $2 * 1e6 / 8 } END { printf "%.0f\n", n }' \
	out/throughput.tsv
echo $((65536 + 2 * 1024 + 2 * 1048576 + 1048576 + 98 * 8388608))
awk -F '\t' 'NR > 1 && sprintf("%.0f", $1 * 1e3) == 610 { print "loopback:", $2 }' \
	out/throughput.tsv
