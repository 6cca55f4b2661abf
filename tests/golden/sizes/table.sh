cd "$NETAN_ROOT" || exit
netan sizes tests/data/graph.xplane.pb
