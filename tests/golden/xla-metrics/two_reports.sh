# The first and the last report of a log: rates between them.
. "$NETAN_ROOT/tests/golden/xla-metrics/report.lib"
at() { sed "s/^/2026-11-20 21:$1:00,250 INFO /"; }
{
	echo "2026-11-20 21:20:00,000 INFO start"
	report 12 50 10 3 10 | at 28
	echo "2026-11-20 21:29:00,000 INFO Metric: accuracy 0.93"
	report 300 800 900 3 900 | at 33
	echo "Counter: not one"
	report 412 1050 1260 3 1250 | at 38
} >train.log
netan xla-metrics train.log --fail-on error
echo "exit $?"
netan xla-metrics train.log --fail-on warning --format csv --table counters
echo "exit $?"
netan xla-metrics train.log --format json | head -n 60
netan xla-metrics train.log --steps 10000 | head -n 5
netan xla-metrics train.log --log-interval 2 | head -n 5
netan xla-metrics train.log --durations plain --format csv | cut -d , -f 1-4
# Packed, from a pipe, with CRLF: the same.
netan xla-metrics train.log | tail -n +2 >plain
gzip -c train.log >train.log.gz
netan xla-metrics train.log.gz | tail -n +2 | cmp - plain
sed 's/$/\r/' train.log | netan xla-metrics - | tail -n +2 | cmp - plain
# No steps in it, and none asked for.
sed '/MarkStep/,+1d; /ExecuteTime/,+5d' train.log | netan xla-metrics - | head -n 5
