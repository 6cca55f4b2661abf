# Counts agree with graph.truth.json: 6 receives, of each class.
cd "$NETAN_ROOT" || exit
netan info tests/data/graph.xplane.pb -v
