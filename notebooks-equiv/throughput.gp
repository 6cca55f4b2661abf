set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "throughput.png"
set datafile separator "\t"
set xlabel "seconds since the origin"
set ylabel "Gbit/s"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set key top right horizontal
set grid ytics
plot "throughput.tsv" using (column("time_s")):(column("rx_gbps")) with steps \
	linecolor rgb "#0072b2" title "received", \
	"" using (column("time_s")):(column("capacity_gbps")) with lines \
	dashtype 2 linecolor rgb "#5b6470" title "capacity"
