# What was used and left out is what check says of the same filters, and latency.
netan synth -q -o s --run r --hosts 3 --steps 4 --fault no-latency:0:7 \
	--fault loopback:2:5 --fault clock:1:5ms
netan synth -q -o t --run r --hosts 3 --steps 4
left()
{
	netan "$@" --format json | tr -d ' \n' | grep -o '"left_out":{[^}]*}'
}
used() { netan "$@" --format json | tr -d ' \n' | grep -o '"used":[0-9]*'; }
for filter in '' '--host host-1' '--src s0d0' '--step 1-2' '--min-latency 1ms' \
	'--max-rate 1Gbps' '--from 20ms --to 60ms' '--min-size 1MB' \
	'--collective all-reduce*'; do
	echo "== $filter"
	left sql t $filter 'SELECT count(*) FROM transfers' >said
	left latency t $filter | cmp said -
	left sql s $filter 'SELECT count(*) FROM transfers' | tee said
	left check s $filter | cmp said -
	used sql s $filter 'SELECT count(*) FROM transfers' >said
	used check s $filter | cmp said -
	[ "$(cat said)" = "\"used\":$(netan sql s $filter \
		'SELECT count(*) FROM transfers' --format csv | tail -n 1)" ] ||
		echo "not so many rows"
	netan sql s $filter "SELECT 'left_out.filtered', value FROM coverage
		WHERE name = 'left_out.filtered'" --format csv | tail -n +2
done
echo "== a capture"
left sql "$NETAN_ROOT/tests/data/tcp.pcap" "SELECT count(*) FROM transfers"
left check "$NETAN_ROOT/tests/data/tcp.pcap"
echo "== of two runs"
netan export -q --label a --host host-1 s --label b s -o two.sqlite
netan sql two.sqlite "SELECT value FROM coverage
	WHERE name LIKE 'left_out.%'" --format csv
echo "== the other side"
for side in tx rx; do
	for table in transfers sends 'transfers, sends'; do
		netan sql s --side $side "SELECT count(*) FROM
			(SELECT 1 FROM $table LIMIT 5)" | sed -n '4p;/leaves/p'
		used sql s --side $side "SELECT 1 FROM $table LIMIT 1"
		left sql s --side $side "SELECT 1 FROM $table LIMIT 1"
	done
done
