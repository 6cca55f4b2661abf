# Nothing to draw: told apart from damage, and what to do.
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 >/dev/null
try()
{
	netan timeline "$@"
	echo "exit $?"
}
: >empty.xplane.pb
try empty.xplane.pb
try t --collective none
try t --from 5s --to 6s -o x.svg
grep -c 'all transfers were left out' x.svg
mkdir none
try none
try missing.pb
head -c 3000 /dev/zero >zeros.pb
try zeros.pb
echo '{"traceEvents": []}' >trace.pb
try trace.pb
printf '\324\303\262\241\002\000\004\000' >capture.pb
try capture.pb
printf '\n\r\r\n\034\000\000\000' >capture.pb
try capture.pb
echo 'a log line' >log.pb
try log.pb
