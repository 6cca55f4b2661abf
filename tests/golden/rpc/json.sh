netan synth -o t --run r --hosts 3 --devices 1 --steps 20 --collectives 3 \
	--fault tail:2:0.05 >/dev/null
netan rpc t --bin 200ms --format json
netan rpc t --by dst --top 1 --format json |
	grep -E '"(dst|transfers|verdict)"'
cd "$NETAN_ROOT" || exit
netan rpc tests/data/message.xplane.pb --format csv
netan rpc tests/data/graph.xplane.pb --side tx --format csv
