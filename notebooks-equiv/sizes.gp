set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "sizes.png"
set datafile separator "\t"
set xlabel "bytes of a transfer"
set ylabel "% of the run's transfers"
set logscale x 2
set format x "2^{%L}"
set yrange [0:*]
set grid ytics
set key off
plot "sizes.tsv" using (column("bytes")):(column("percent")) with impulses \
	linewidth 5 linecolor rgb "#0072b2", \
	"" using (column("bytes")):(column("percent")):(stringcolumn("label")) \
	with labels offset 0,0.7
