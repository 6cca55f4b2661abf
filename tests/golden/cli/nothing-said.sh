# Nothing to say is no file and no success; an option that does nothing is wrong.
netan synth -q -o c.pcap --size 100KB
netan synth -q -o t --hosts 2 --devices 1 --steps 1
netan collectives c.pcap -o x.prom
echo "exit $?, $(ls x.prom 2>/dev/null | wc -l) files"
netan ingest t -o x.foo
echo "exit $?, $(ls x.foo 2>/dev/null | wc -l) files"
netan ingest -q t -o x.netan && netan ingest -q t -o x/ && ls x.netan x
: >empty
netan info empty >out
echo "exit $?"
netan info t empty >out
echo "exit $?"
netan latency --label a t --label b
echo "exit $?"
netan latency --label a --label b t
echo "exit $?"
netan latency t --host nosuch
echo "exit $?"
