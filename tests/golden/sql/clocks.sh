# How far clocks are ahead, and that less that instants are on one clock: as
# executions are, which ranks joined, and as in a trace for Perfetto.
netan synth -q -o g --profile pytorch --hosts 3 --devices 2 --steps 2
ask() { netan sql -q "$@" --format csv; }
ask g/kineto 'SELECT host, clock_ahead_ns, clock_uncertainty_ns FROM hosts'
ask g/kineto 'SELECT rank, host, clock_ahead_ns FROM ranks'
netan export -q g/kineto -o g.pftrace -o g.sqlite
grep -a -o 'its clock is [^;]*' g.pftrace | sort | uniq -c | sed 's/  *//'
for of in g/kineto g.sqlite; do
	ask $of 'SELECT count(*) AS executions, max(abs(e.start_ns - x.first)) AS off
		FROM executions e JOIN (SELECT o.operation, o.group_name,
			o.sequence, min(o.start_ns - r.clock_ahead_ns) AS first
			FROM operations o JOIN ranks r USING (rank)
			GROUP BY 1, 2, 3) x ON x.operation = e.collective
			AND x.group_name = e.group_name
			AND x.sequence = e.sequence'
done
echo "== hosts, by their transfers"
netan synth -q -o c --run r --hosts 3 --devices 1 --steps 3 --fault clock:1:5ms
ask c 'SELECT host, round(clock_ahead_ns / 1e6, 1) AS ahead_ms FROM hosts'
echo "== a capture has one clock"
netan synth -q -o j.pcap --hosts 2
ask j.pcap 'SELECT count(*), count(clock_ahead_ns) FROM hosts'
