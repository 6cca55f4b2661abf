cd "$NETAN_ROOT" || exit
netan timeline tests/data/graph.xplane.pb --bin 20ms --by host,collective \
	--format json
