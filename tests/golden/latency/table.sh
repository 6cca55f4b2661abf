cd "$NETAN_ROOT" || exit
netan latency tests/data/graph.xplane.pb
netan latency tests/data/message.xplane.pb
