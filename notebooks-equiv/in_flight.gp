set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "in_flight.png"
set datafile separator "\t"
set xlabel "seconds since the origin"
set ylabel "transfers in flight, largest in 100 ms"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set key outside right
set grid ytics
sizes = ""
add(s) = (s eq "bytes" || strstrt(" ".sizes." ", " ".s." ") ? 0 : (sizes = sizes." ".s, 1))
stats "in_flight.tsv" using (add(stringcolumn("bytes"))) nooutput
plot for [s in sizes] "in_flight.tsv" \
	using (column("time_s")):(stringcolumn("bytes") eq s ? \
	column("pending_max") : NaN) with steps title s
