# A real job on CPUs, in whose group sends count, too: rank 2 sleeps, and its
# peers wait in an all_reduce; then its dump is not there; then rank 0 has left
# the operation before the others, as threads on CPUs may.
mkdir left
sed 's/\(.*\)"retired":false/\1"retired":true/
	s/"last_completed_collective":"12"/"last_completed_collective":"13"/' \
	"$NETAN_ROOT/tests/data/gloo/recorder/rank_0.json" >left/rank_0.json
cp "$NETAN_ROOT"/tests/data/gloo/recorder/rank_[13].json left
netan hang left | head -n 1
echo ==
cd "$NETAN_ROOT" || exit
netan hang tests/data/gloo/recorder
echo ==
netan hang tests/data/gloo/recorder/rank_[013].json
