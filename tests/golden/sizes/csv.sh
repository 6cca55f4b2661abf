# The groups, and the lists inside them by their names.
cd "$NETAN_ROOT" || exit
netan sizes tests/data/graph.xplane.pb --format csv
netan sizes tests/data/graph.xplane.pb --format csv --table distinct
netan sizes tests/data/graph.xplane.pb --by collective,src --format csv \
	--table distinct
netan sizes tests/data/graph.xplane.pb --by collective --format tsv \
	--table histogram
netan sizes tests/data/graph.xplane.pb --format csv --table histograms
echo "exit $?"
