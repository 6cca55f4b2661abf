# Numbers in their shortest form; tables that are read by USING alone are there.
netan synth -q -o t --hosts 2 --devices 1 --steps 2
netan sql t 'SELECT round(4.25, 2) AS a, 1.8 AS b, 0.08 AS c, 3.0 AS d, 1/3.0 AS e,
	123456789.5 AS f, 176671.25 AS g, 1e20 AS h, -0.5 AS i, 7 AS j' |
	sed -n 3,4p
netan sql t 'SELECT count(*) > 0 AS joined FROM pairs JOIN transfers
	USING (src_host, dst_host)' --format csv
netan help --tables slack | grep JSON
netan help --tables steps | sed -n '/start_ns/,/slowest_host/p'
# A host in a step is what the step says of it, and of ranks as well.
netan synth -q -o h --hosts 3 --steps 4 --fault late-input:1:25ms
netan sql h 'SELECT count(*) AS rows, count(DISTINCT host) AS hosts, sum(slowest)
	AS slowest, sum(s.slowest_host = h.host AND s.behind_ms = h.behind_ms AND
	s.cause IS h.cause) AS agree FROM step_hosts h JOIN steps s USING (step)
	WHERE h.slowest OR s.slowest_host <> h.host' --format csv
netan synth -q -o g --profile pytorch --hosts 2 --devices 2 --steps 4 \
	--fault late-rank:1:5ms
netan sql g/kineto 'SELECT rank, count(*) AS steps, sum(slowest) AS slowest,
	cause FROM step_hosts GROUP BY rank' --format csv
