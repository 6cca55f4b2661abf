# Metrics: what the three commands write, and all of them together.
f=$NETAN_ROOT/tests/data/graph.xplane.pb
for c in timeline collectives check; do
	netan $c -q "$f" -o $c.prom || echo "status $?"
done
grep -v '^netan_origin' timeline.prom
grep -v '^#' collectives.prom | sed 1,3d
grep -c '^netan_finding{' check.prom
# The union has every line of theirs but what each says of its inputs.
netan export -q "$f" -o all.prom -o x.sqlite || echo "status $?"
cat timeline.prom collectives.prom check.prom | grep -v '^netan_window' |
	sort -u >parts
grep -v '^netan_window' all.prom | sort | comm -3 - parts
# A family stands together, once; no two samples have the same labels.
sed -n 's/^# TYPE \([^ ]*\).*/\1/p' all.prom | sort | uniq -d
grep -v '^#' all.prom | sed 's/ [^ ]*$//' | sort | uniq -d
# Names are data.
netan collectives -q --label 'a"b\' "$f" --label c "$f" -o two.prom
grep '^netan_collective_executions' two.prom
sed s,host-,secret, "$f" >named.pb
netan check -q --anonymize named.pb -o anonymous.prom
grep -c secret anonymous.prom
netan latency -q "$f" -o x.prom
echo "status $?"
