# What -o cannot write is said before anything is read: there is no file x.
try()
{
	netan "$@" 2>&1 | sed 1q
}
mkdir folder
try timeline x -o a.jpg
try timeline x -o a
try timeline x -o a.html
try timeline x -o a.netan
for name in a.pftrace a.pftrace.gz a.SQLite; do
	try timeline x -o $name
done
try pairs x -o a.prom
try report x -o a.prom
try info x -o a.svg
try info x -o a.xyz
try timeline x -o no/such/folder/a.json
try timeline x -o folder --format json
try timeline x --table steps
try timeline x --format json --table steps
echo '{}' >in.json
try timeline in.json -o in.json
ls
