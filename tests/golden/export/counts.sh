# Numbers of the tables are those of the commands.
netan synth -o s --run r --hosts 4 --steps 6 --ici 1 --fault slow-sender:1:3 \
	--fault loopback:2:5 --fault no-latency:0:7 --fault bad-key:3:2 >/dev/null
netan export s -o s.sqlite
ask() { netan sql s.sqlite "$1" --format csv | tail -n +2; }
json() { netan "$@" --format json | tr -d '\n' | sed 's/.*"result": //'; }
number() { grep -o "\"$1\": [0-9.]*" | head -n 1 | sed 's/.*: //'; }
same()
{
	if [ "$2" = "$3" ]; then echo "same $1: $2"; else
		echo "DIFFERENT $1: $2, $3"; fi
}
totals=$(json info s | sed 's/.*"totals": //')
for k in valid no_latency clock_skew; do
	n=$(echo "$totals" | number $k)
	case $k in
	valid) same $k "$n" "$(ask 'SELECT count(*) FROM transfers')" ;;
	*) same $k "$n" "$(ask "SELECT count(*) FROM instants WHERE class = '$k'")" ;;
	esac
done
same graphs "$(echo "$totals" | number graphs)" \
	"$(ask "SELECT count(*) FROM executions JOIN collectives
		USING (collective) WHERE network = 'dcn'")"
same executions "$(ask 'SELECT sum(executions) FROM collectives')" \
	"$(ask 'SELECT count(*) FROM executions')"
sizes=$(json sizes s)
same count "$(echo "$sizes" | number count)" \
	"$(ask 'SELECT count(*) FROM transfers')"
same bytes "$(echo "$sizes" | number bytes)" \
	"$(ask 'SELECT sum(bytes) FROM transfers')"
latency=$(json latency s)
for p in 50 90 99; do
	same p$p "$(echo "$latency" | number p${p}_us)" \
		"$(ask "SELECT percentile(latency_us, $p) FROM transfers")"
done
same max "$(echo "$latency" | number max_us)" \
	"$(ask 'SELECT max(latency_us) FROM transfers')"
same tx "$(json timeline s | number tx_bytes)" \
	"$(ask 'SELECT sum(bytes) FROM sends')"
# Rows of lists, in their order; the table lacks what a pair is to a suspect.
netan pairs s --format csv | cut -d , -f 1-12 >pairs.csv
netan sql s.sqlite 'SELECT src, dst, src_host, dst_host, count, clock_skew,
	bytes, p50_us, p99_us, expected_us, excess, q_value FROM pairs' \
	--format csv | cmp - pairs.csv && echo "same pairs"
netan collectives s --format csv | cut -d , -f 1 >names.csv
netan sql s.sqlite 'SELECT collective FROM collectives' --format csv |
	cmp - names.csv && echo "same collectives"
# Of an export sends are read, too: clocks are better known than to steps
# alone, and instants less than a microsecond from there.
netan steps s --format csv | cut -d , -f 1,4,5 >steps.csv
netan sql s.sqlite 'SELECT step, duration_ms, slowest_host FROM steps' \
	--format csv | cmp - steps.csv && echo "same steps"
same findings "$(json check s | grep -o '"severity"' | wc -l)" \
	"$(ask 'SELECT count(*) FROM findings')"
# Pairs by what the rows say.
ask 'SELECT p.src_host, p.dst_host FROM pairs p JOIN host_pairs h
	USING (src_host, dst_host)
	WHERE p.bytes <> h.bytes OR p.count <> h.transfers'
# Filters hold.
for filter in '--from 100ms --to 200ms' '--host host-1' '--src s1d0' \
	'--min-size 1MB' '--step 2-3' '--side tx' --include-loopback; do
	same "$filter" "$(json sizes s $filter | number count)" \
		"$(netan sql s $filter "SELECT count(*) FROM $(case $filter in
		*tx) echo sends ;; *) echo transfers ;; esac)" \
			--format csv | tail -n 1)"
done
