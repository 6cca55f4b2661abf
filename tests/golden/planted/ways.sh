# The same results to the byte: by threads, packed, from standard input, from
# the file that ingest writes.
. "$NETAN_ROOT/tests/golden/planted/common"
job plain --devices 2 --fault stall:all-reduce.26_2:9ms --fault clock:host-1:3ms
job gz --devices 2 --fault stall:all-reduce.26_2:9ms --fault clock:host-1:3ms --compress gzip
job zst --devices 2 --fault stall:all-reduce.26_2:9ms --fault clock:host-1:3ms --compress zstd
netan ingest -q plain -o all.netan
netan ingest -q plain/plugins/profile/r/host-0.xplane.pb -o one.netan
# Without names and sizes of files, and why executions were late, which a
# .netan file does not tell.
body()
{
	netan "$@" --format json | sed -n '/^  "result": {/,$p'
}
same()
{
	if cmp -s "$1" "$2"; then echo "  $3: the same"; else
		echo "  $3: another"
		diff "$1" "$2" | head -n 10
	fi
}
for command in slack steps collectives; do
	late=
	if [ $command = slack ]; then late='--late 0'; fi
	echo "$command"
	body $command -q -j 1 plain >one
	for j in 2 8; do
		body $command -q -j $j plain >two
		same one two "-j $j"
	done
	body $command -q gz >two
	same one two gzip
	body $command -q zst >two
	same one two zstd
	body $command -q $late plain >one
	body $command -q $late all.netan >two
	same one two .netan
	body $command -q $late --label host-0 plain/plugins/profile/r/host-0.xplane.pb >one
	body $command -q $late --label host-0 - <plain/plugins/profile/r/host-0.xplane.pb >two
	same one two 'standard input'
	body $command -q $late --label host-0 one.netan >two
	same one two '.netan of one'
done
printf 'and right: '
truth=plain/truth.json slack all.netan --late 0
