# Numbers in their shortest form; tables that are read by USING alone are there.
netan synth -q -o t --hosts 2 --devices 1 --steps 2
netan sql t 'SELECT round(4.25, 2) AS a, 1.8 AS b, 0.08 AS c, 3.0 AS d, 1/3.0 AS e,
	123456789.5 AS f, 176671.25 AS g, 1e20 AS h, -0.5 AS i, 7 AS j' |
	sed -n 3,4p
netan sql t 'SELECT count(*) > 0 AS joined FROM pairs JOIN transfers
	USING (src_host, dst_host)' --format csv
netan help --tables slack | grep JSON
netan help --tables steps | sed -n '/start_ns/,/slowest_host/p'
