cd "$NETAN_ROOT" || exit
netan pairs tests/data/graph.xplane.pb --format json
