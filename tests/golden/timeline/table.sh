cd "$NETAN_ROOT" || exit
netan timeline tests/data/graph.xplane.pb --bin 5ms --capacity v6e
