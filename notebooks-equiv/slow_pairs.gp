set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "slow_pairs.png"
set datafile separator "\t"
set ylabel "slow transfers, % of the pair's"
set yrange [0:*]
set xtics rotate by -45
set boxwidth 0.8
set style fill solid
set key off
set grid ytics
plot "slow_pairs.tsv" every ::0::39 using 0:(column("percent")):xticlabels(stringcolumn("pair")) \
	with boxes linecolor rgb "#d55e00"
