# For people, for spreadsheets, for bug reports.
netan synth -o t --run r --hosts 4 --devices 2 --steps 8 \
	--fault slow-sender:3:4 >/dev/null
netan pairs t
netan pairs t --top 2 --format md
netan pairs t --format csv | head -n 3 | cut -d, -f 1-9
netan pairs t --format tsv --table culprits | cut -f 1,2
netan pairs t --level device --top 3
