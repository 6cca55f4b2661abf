# Transfers that wait until all of a large buffer is on the host, where that
# was planted; not where a job of the same size sends shards of 8 MiB.
found()
{
	netan check "$@" --only large-shards --only small-transfers --format json |
		grep -E '"(severity|title|collective|executions|serial_sends|max_bytes|missing)":' |
		sed 's/^ *//; s/,$//'
}
job()
{
	netan synth -q --run r --hosts 4 --devices 2 --steps 4 -o "$@"
}
for seed in 1 2 3; do
	job clean$seed --seed $seed
	found clean$seed
done
job ring --pattern ring --link-rate 400Gbps --collectives 12
found ring
job large --fault large-shard:all-reduce.40_1:64MiB
found large
netan check -q large --only large-shards --fail-on info >/dev/null
echo "exit $?"
# A gather is told in halves; a copy of 12 ms is a gap though no transfer is
# large.
job gap --fault large-shard:all-reduce.26_2:30MiB --hosts 12 \
	--link-rate 400Gbps
found gap
found gap --dma-gap 100
job old --generation message
found old
