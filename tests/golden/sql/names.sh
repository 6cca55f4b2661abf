# A wrong name: the nearest one, or those that there are.
netan synth -q -o x.pcap --connections 2 --rpcs 4 --roce 0
try()
{
	echo "== $1"
	netan sql x.pcap "$1" 2>&1 | head -n 1
}
try 'SELECT latency_ns FROM transfers'
try 'SELECT t.latency FROM transfers t'
try 'SELECT bogus FROM transfers'
try 'SELECT bogus FROM connections'
try 'SELECT hots FROM hosts'
try 'SELECT gigabytes FROM host_bytes'
try 'SELECT * FROM conections'
try 'SELECT * FROM tcp_connections'
try 'SELECT * FROM tcp'
try 'SELECT * FROM rdma'
try 'SELECT * FROM nothing_like_it'
try 'SELECT * FROM "transfers where"'
try 'SELECT "no such column: x" FROM hosts'
try 'SELEC 1'
netan export -q x.pcap -o x.sqlite
netan sql x.sqlite 'SELECT latency_ns FROM transfers'
