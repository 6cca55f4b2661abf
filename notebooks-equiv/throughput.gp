set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "throughput.png"
set datafile separator "\t"
set xlabel "seconds since the origin"
set ylabel "Gbit/s received, all hosts together"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set key top right horizontal
set grid ytics
set linetype 1 linecolor rgb "#0072b2"
# The argument: a capacity, or nothing for no line.
if (exists("ARG1") && strlen(ARG1)) {
	plot "throughput.tsv" using 1:2 with steps title "received", \
		"" using 1:3 with lines dashtype 2 linecolor rgb "#5b6470" \
		title "capacity"
} else {
	plot "throughput.tsv" using 1:2 with steps title "received"
}
