# What is refused, and what is said about it.
try()
{
	netan ingest "$@" 2>&1
	echo "exit $?"
}
try
try trace.pb
try -o out.netan
try -o out.netan missing.pb
try -o no/such/dir/out.netan missing.pb
try --anonymise -o out.netan missing.pb
echo '{}' >x.json
try -o out.netan x.json
ls
