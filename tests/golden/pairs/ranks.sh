# Ranks are devices of the hosts where they run, as in netan sql and latency.
netan synth -q --profile pytorch --hosts 4 --devices 2 --steps 4 -o g
netan pairs g/kineto --format csv | cut -d, -f1-4 | sort -V | head -4
netan pairs g/kineto --format json | grep '"level"'
netan sql g/kineto 'SELECT p.src, p.dst, p.src_host, count(*) AS n
	FROM pairs p JOIN transfers t USING (src, dst, src_host, dst_host)
	GROUP BY 1, 2 ORDER BY 1, 2 LIMIT 3' --format csv
netan latency g/kineto --by host --format csv | cut -d, -f1,2 | sort
netan latency g/kineto --table slowest --format csv | cut -d, -f5-7 | sort -u
netan latency g/kineto --dst host-1 --by dst --format csv | cut -d, -f1,2 | sort
