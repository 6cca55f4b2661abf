# Ctrl-C: commands half of whose result would mislead write nothing, and say so.
netan synth -o t --run r --hosts 2 --devices 1 --steps 2 --ops 1 >/dev/null
one=t/plugins/profile/r/host-0.xplane.pb
other=t/plugins/profile/r/host-1.xplane.pb
mkfifo pipe.xplane.pb
trap '' PIPE
# It comes while the command waits for its second input, which follows.
interrupt()
{
	echo "-- $*"
	netan "$@" -j 1 $one pipe.xplane.pb >out 2>err &
	exec 3>pipe.xplane.pb
	kill -INT $!
	cat $other >&3 2>/dev/null
	exec 3>&-
	wait $!
	echo "exit $?"
	cat out
	# What is said of the input depends on how far it came.
	grep -v '^netan: warning: pipe' err
}
interrupt check
interrupt check -o x.json
interrupt report -o x.html
interrupt report -o x/
interrupt diff
interrupt diff -o x.json
interrupt ingest -o x.netan
interrupt ingest -o x/
echo "and others do what they can"
interrupt latency --format csv
ls
echo "and a table of nothing begins with that"
interrupt pairs | grep Interrupted
