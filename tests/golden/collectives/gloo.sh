# A real job on CPUs: sends by their peers, sizes by shapes, and clocks left
# alone that ranges which end apart do not contradict.  Rank 2 is 60 ms late.
cd "$NETAN_ROOT" || exit
netan collectives tests/data/gloo/kineto
echo ==
netan pairs tests/data/gloo/kineto | head -8
