cd "$NETAN_ROOT" || exit
netan latency tests/data/graph.xplane.pb --by component,size --format csv
netan latency tests/data/graph.xplane.pb --format tsv
