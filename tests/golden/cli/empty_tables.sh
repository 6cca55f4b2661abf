# A table without rows has its header, so that who reads it knows its columns;
# a file that names nobody is data, not usage.
netan synth -q -o job --hosts 2
netan synth -q -o c.pcap --condition healthy
header()
{
	echo "$* $(netan "$@" 2>&1)"
}
header timeline job --format csv --table saturated
header pairs job --format csv --table culprits
header pairs job --format csv --table alternatives
header pairs job --format tsv --table stalls
header steps job --format csv --table stragglers
netan pairs job --format csv --table nope
echo "status $?"
printf 'host,rack\nzzz,r1\n' >places
netan pairs job --topology places
echo "status $?"
printf '192.0.2.1,h\n' >hosts
netan tcp c.pcap --hosts hosts
echo "status $?"
netan synth -q -o gpu --profile pytorch --hosts 2 --devices 1 --steps 4 \
	--evidence kineto --evidence recorder --evidence inspector
printf 'rank,host\n77,h\n' >ranks
for e in kineto recorder inspector; do
	[ -d gpu/$e ] || continue
	netan collectives gpu/$e --hosts ranks
	echo "$e: status $?"
done
netan hang gpu/recorder --hosts ranks
echo "status $?"
# What this result lacks, and another has.
header pairs job --format csv --table ledger
header pairs job --format csv --table ledger.hosts
header info job --format csv --table joins
header rdma c.pcap --format csv --table sequence
