# What can be read is counted, what cannot is named; --strict makes it fail.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 --ops 1 \
	--collectives 1 >/dev/null
f=t/plugins/profile/r/host-0.xplane.pb
try()
{
	netan info "$@" --format csv --table totals 2>&1
	echo "exit $?"
}
: >empty.xplane.pb
try empty.xplane.pb
head -c 5000 $f >cut.xplane.pb
try cut.xplane.pb
try --strict cut.xplane.pb
try $f missing.xplane.pb
try --strict $f missing.xplane.pb
sed 's/[\o200-\o377]/\xef\xbf\xbd/g' $f >mangled.xplane.pb
try mangled.xplane.pb
try missing.xplane.pb
gzip -c $f | gzip >twice.gz
try twice.gz
printf '\n{"traceEvents": []}\n' >trace.json
try trace.json
