# Every command that takes part: through files it writes what it writes by
# itself, the same bytes.
netan synth -q -o job --hosts 8 --slices 4 --devices 2 --steps 2 \
	--collectives 3 --fault slow-sender:host-3:4 --fault truncate:host-5:0.5

# N COMMAND ARGUMENT...: the shards of both rounds, and the plan.
shards()
{
	local n=$1
	shift
	rm -f ./*.nap
	seq "$n" | xargs -P2 -I{} netan partial -q --shard {}/"$n" -o p0.{}.nap "$@" &&
		netan merge -q -o plan.nap p0.*.nap &&
		seq "$n" | xargs -P2 -I{} netan partial -q --plan plan.nap \
			--shard {}/"$n" -o p1.{}.nap "$@"
}

# ENDING COMMAND ARGUMENT...: what both write, say and return.
same()
{
	local end=$1 all one
	shift
	netan merge -o all."$end" p1.*.nap >all.out 2>all.err
	all=$?
	netan "$@" -o one."$end" >one.out 2>one.err
	one=$?
	sed -i "s/wrote one/wrote all/" one.err
	[ $all = $one ] && cmp -s all."$end" one."$end" &&
		cmp -s all.out one.out && cmp -s all.err one.err ||
		echo "$1 $end: not the same ($all, $one)"
}

for command in $(netan --help | sed -n '/^Commands/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
	shards 3 "$command" job 2>err || {
		grep -q 'netan partial does not run' err || head -n 2 err
		continue
	}
	printf '%s' "$command"
	ends='json csv md'
	netan "$command" --help | grep -q '^      --theme' && ends='json csv svg'
	[ "$command" = report ] && ends=html
	for end in $ends; do
		printf ' %s' "$end"
		same "$end" "$command" job
	done
	echo
done

echo '* more shards than hosts; options; two runs; GPU jobs'
shards 20 check job --capacity 100Gbps && same json check job --capacity 100Gbps
shards 2 check --anonymize job && same json check --anonymize job
netan synth -q -o other --hosts 4 --devices 1 --steps 3 --seed 7
shards 3 latency --label a job --label b other --by host &&
	same csv latency --label a job --label b other --by host
netan synth -q -o gpu --profile pytorch --hosts 4 --devices 2 --steps 3
shards 3 steps gpu/kineto && same json steps gpu/kineto
netan ingest -q -o job.netan other
shards 2 slack job.netan && same json slack job.netan

echo '* how it looks is said when it is merged, or before'
shards 2 check job --format json
netan check job --format json >one 2>err
netan merge p1.*.nap 2>err | cmp - one
netan check --format csv job >one 2>err
netan merge --format csv p1.*.nap 2>err | cmp - one
shards 2 timeline -o before.svg --theme dark -- other
netan merge p1.*.nap
netan timeline -o after.svg --theme dark -- other
cmp before.svg after.svg
netan merge --theme light -o light.svg p1.*.nap
netan timeline --theme light -o after.svg -- other
cmp light.svg after.svg
shards 2 check --fail-on warning job
netan merge -q p1.*.nap >out
echo "status $?"
netan merge -q --fail-on error -o out.md p1.*.nap
echo "status $?"
shards 2 report other
netan merge p1.*.nap
echo "status $?"
ls
