# Gaps are empty, the modes a table of their own.
netan synth -o t --run r --hosts 2 --devices 1 --steps 30 \
	--fault tail:0:0.02 >/dev/null
netan rpc t --bin 50ms --format csv | head -n 12
netan rpc t --format tsv --table modes
netan rpc t --by pair --format csv --table groups | cut -d, -f1-8 | head -n 3
