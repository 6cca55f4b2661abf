#!/bin/sh
# The notebook's section "throughput": Gbit/s received over time, in windows
# of 1 ms, with a line at what the NICs of all its hosts can carry together.
#
#	05_throughput.sh SESSION [CAPACITY_GBPS_OF_ALL_HOSTS] [OUT.png]
set -eu
session=${1:?usage: 05_throughput.sh SESSION [CAPACITY_GBPS] [OUT.png]}
capacity=${2:-100}
out=${3:-throughput.png}
data=${out%.*}.csv

${NETAN:-netan} timeline --bin 1ms "$session" -o "$data"
if ! command -v gnuplot >/dev/null 2>&1; then
	echo "skip: gnuplot is not installed (package gnuplot-nox); the numbers are in $data"
	exit 0
fi
gnuplot <<END
set terminal pngcairo size 1200,500 font "DejaVu Sans,11"
set output "$out"
set datafile separator ","
set xlabel "seconds since the origin"
set ylabel "Gbit/s"
set yrange [0:*]
set offsets 0, 0, graph 0.08, 0
set key top right horizontal
set grid ytics
plot "$data" using (column("time_s")):(column("rx_gbps")) with steps \\
	linecolor rgb "#0072b2" title "received", \\
	$capacity with lines dashtype 2 linecolor rgb "#5b6470" title "capacity"
END
echo "$data"
echo "$out"
