cd "$NETAN_ROOT" || exit
netan latency tests/data/graph.xplane.pb --format json
