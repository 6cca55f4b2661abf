# A database that comes through standard input; what is none is read as ever.
netan synth -q -o s --run r --hosts 2 --devices 1 --steps 2
netan export -q s -o x.sqlite
try()
{
	netan sql - "$@" 'SELECT count(*) AS n, min(path) FROM inputs' --format csv
	echo "status $?"
}
echo "== a file"
try <x.sqlite
echo "== a pipe"
cat x.sqlite | try
echo "== a few bytes at first"
{ head -c 40 x.sqlite; sleep 0.2; tail -c +41 x.sqlite; } | try
echo "== what it is called"
netan sql - 'SELECT 1' --format json <x.sqlite | grep '"path"\|sqlite'
echo "== cut off"
head -c 20000 x.sqlite | try
head -c 40 x.sqlite | try
echo "== packed, filtered, and not alone"
gzip -c x.sqlite | try
cat x.sqlite | try --host host-0
cat x.sqlite | netan sql - s 'SELECT count(*) FROM inputs' --format csv
echo "== a trace"
cat s/plugins/profile/r/host-0.xplane.pb | try
try <s/plugins/profile/r/host-1.xplane.pb
