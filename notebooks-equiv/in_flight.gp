set terminal pngcairo size 1200,500 font "DejaVu Sans,11" noenhanced
set output "in_flight.png"
set datafile separator "\t"
# The names of the series, and what the third column holds.
sizes = ""
mean = 0
add(s) = (s eq "bytes" || strstrt(" ".sizes." ", " ".s." ") ? 0 : (sizes = sizes." ".s, 1))
is_mean(s) = (s eq "pending_mean" ? (mean = 1) : 0)
stats "in_flight.tsv" using (add(stringcolumn(1)) + is_mean(stringcolumn(3))) nooutput
set title mean ? "Transfers in flight by size: mean of each 100 ms (may be fractional)" \
	: "Transfers in flight by size: largest number in each 100 ms"
set xlabel "seconds since the origin"
set ylabel mean ? "transfers in flight, mean" : "transfers in flight, largest"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set key outside right title "bytes"
set grid ytics
# Eight colours and five dashes: 40 series of which no two look the same.
# Yellow is last and has a dark edge.
colours = "#0072b2 #d55e00 #009e73 #cc79a7 #56b4e9 #e69f00 #7f8790 #f0e442"
rows(i) = stringcolumn(1) eq word(sizes, i) ? column(3) : NaN
colour(i) = word(colours, (i - 1) % 8 + 1)
edge(i) = (i % 8 ? colour(i) : "#1b1f24")
dash(i) = (i - 1) % 5 + 1
width(i) = (i % 8 ? 2 : 4)
plot for [i=1:words(sizes)] "in_flight.tsv" using 2:(rows(i)) with steps \
	linewidth width(i) linecolor rgb edge(i) \
	dashtype dash(i) title word(sizes, i), \
	for [i=1:words(sizes)] "" using 2:(rows(i)) with steps linewidth 2 \
	linecolor rgb colour(i) dashtype dash(i) notitle
