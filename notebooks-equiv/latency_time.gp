set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "latency_time.png"
set datafile separator "\t"
set xlabel "seconds since the origin"
set ylabel "latency, us"
set logscale y
set key top right horizontal
set grid ytics
plot "latency_time.tsv" using (column("time_s")):(column("max_us")) with points \
	pointtype 7 pointsize 0.5 linecolor rgb "#d55e00" title "maximum", \
	"" using (column("time_s")):(column("p99_us")) with steps \
	linecolor rgb "#0072b2" dashtype 2 title "p99", \
	"" using (column("time_s")):(column("p50_us")) with steps \
	linecolor rgb "#0072b2" title "median"
