set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "slow_pairs.png"
set datafile separator "\t"
set title "Slow transfers".(exists("ARG1") && strlen(ARG1) ? \
	": latency above ".ARG1 : "")
set xlabel "pair, source->destination (the first 40 of slow_pairs.tsv)"
set ylabel "slow, % of the pair's transfers"
set yrange [0:*]
set xtics rotate by 90 right nomirror
set boxwidth 0.8
set style fill solid
set key off
set grid ytics
plot "slow_pairs.tsv" every ::0::39 using 0:(column("percent")):xticlabels(stringcolumn("pair")) \
	with boxes linecolor rgb "#d55e00"
