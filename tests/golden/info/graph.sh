# Counts agree with graph.truth.json: 6 receives, of each class.
netan info "$NETAN_ROOT/tests/data/graph.xplane.pb" -v | sed "s|$NETAN_ROOT/||g"
