# Two files of one run, in either order; and two that are not of one.
. "$NETAN_ROOT/tests/golden/xla-metrics/report.lib"
report 4 100 5 >start.txt
report 5 5000 250 0 240 >end.txt
report 3 200 900 >other.txt
netan xla-metrics start.txt end.txt
netan xla-metrics end.txt start.txt | head -n 5
netan xla-metrics end.txt start.txt | tail -n 1
netan xla-metrics start.txt other.txt
netan xla-metrics --label a start.txt --label b end.txt --format csv --table processes
# Two workers at one step.
netan xla-metrics end.txt end.txt --format csv --table processes
# A restart within a log.
cat end.txt start.txt | netan xla-metrics - | sed -n '1,5p;$p'
# One report alone, of older wording; within the warm-up; without steps.
newer=
report 4 4000 200 | netan xla-metrics - | head -n 5
report 4 8 20 | netan xla-metrics - | head -n 5
report 4 4000 200 | sed '/MarkStep/,+1d; /ExecuteTime/,+5d' | netan xla-metrics - | head -n 5
