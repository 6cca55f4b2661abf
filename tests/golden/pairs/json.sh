cd "$NETAN_ROOT" || exit
# The last digits are the mathematics library's own.
netan pairs tests/data/graph.xplane.pb --format json | grep -v expected_us
