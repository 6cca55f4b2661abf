# What cannot be read, or says nothing, is said.
netan xla-metrics
echo "exit $?"
netan xla-metrics nowhere.log
echo "exit $?"
printf 'step 1\nLearning Rate: 0.1\nMetric: loss\n' >other.log
netan xla-metrics other.log
echo "exit $?"
: | netan xla-metrics -
echo "exit $?"
netan xla-metrics other.log --steps 0
echo "exit $?"
netan xla-metrics other.log --durations odd
echo "exit $?"
netan xla-metrics other.log -o x.svg
echo "exit $?"
printf 'Counter: MarkStep\n  Value: 3\n' >some.log
netan xla-metrics some.log nowhere.log
echo "exit $?"
netan xla-metrics some.log nowhere.log --strict -q
echo "exit $?"
gzip -c some.log | head -c 30 >cut.log.gz
netan xla-metrics cut.log.gz
echo "exit $?"
netan xla-metrics . 2>&1
echo "exit $?"
