cd "$NETAN_ROOT" || exit
netan bursts tests/data/graph.xplane.pb
cd - >/dev/null
netan synth -o t --run r --hosts 3 --devices 2 --steps 6 >/dev/null
netan bursts t --gap 200us
netan bursts t --by size | sed -n '/each group/,$p'
