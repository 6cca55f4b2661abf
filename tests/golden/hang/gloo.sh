# A real job on CPUs, in whose group sends count, too: rank 2 sleeps, and its
# peers wait in an all_reduce; then its dump is not there.
cd "$NETAN_ROOT" || exit
netan hang tests/data/gloo/recorder
echo ==
netan hang tests/data/gloo/recorder/rank_[013].json
