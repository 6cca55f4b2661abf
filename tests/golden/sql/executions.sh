# A row for each execution that netan collectives counts: on the network, inside
# a slice, of GPUs, of devices whose hosts tell nothing, of ranks that nobody
# joins.  What ranks joined is a row for all of them.
netan synth -q -o s --run r --hosts 4 --steps 4 --ici 1
netan synth -q -o gpu --profile gpu --run r --hosts 2 --devices 2 --steps 3
netan synth -q -o m --run r --hosts 4 --steps 4 --generation message
netan synth -q -o p --profile pytorch --evidence kineto --evidence recorder --hosts 2 \
	--devices 2 --steps 3
ask() { netan sql "$@" --format csv | tail -n +2; }
counted()
{
	netan collectives "$@" --format csv |
		awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ n += $at["executions"] } END { print n }'
}
same()
{
	rows=$(ask "$@" 'SELECT count(*) FROM executions')
	of=$(counted "$@")
	[ "$rows" = "$of" ] && echo "same: $rows" || echo "DIFFERENT: $rows, $of"
}
for in in s gpu m p/kineto/*0.*; do
	echo "== ${in##*/}"
	same $in
	same $in --step 1-2
	same $in --from 10ms --to 60ms
	same $in --collective 'all-[rg]*' --collective 'ALL_*'
	netan export -q $in -o x.sqlite
	ask x.sqlite 'SELECT count(*) FROM executions'
done
echo "== one host"
same s --host host-1
ask s --host host-1 'SELECT DISTINCT host FROM executions'
echo "== joined"
ask p/kineto 'SELECT count(*) FROM executions'
netan collectives p/kineto --format csv --table executions | tail -n +2 | wc -l
echo "== what is told of them"
for in in s gpu m p/kineto/*0.* p/recorder/*_0; do
	netan sql $in "SELECT * FROM executions WHERE collective LIKE
		'all%reduce%' ORDER BY start_ns, collective, device LIMIT 1" \
		--format csv
done
echo "== devices that no transfer names"
netan sql gpu 'SELECT host, recorded, devices FROM hosts' --format csv
netan sql --anonymize gpu 'SELECT DISTINCT host FROM executions' --format csv |
	grep -c host-
