# What cannot be cut is said, and nothing is written.
data="$NETAN_ROOT/tests/data"
netan synth -q -o job --hosts 2 --devices 1 --steps 3 --ops 1
one=$(echo job/plugins/profile/*/host-0.xplane.pb)
say()
{
	netan slice "$@" 2>&1 | sed 's/^netan: //'
	ls out* 2>/dev/null || :
}
for line in "" "-o out" "job --step 1" "job --step 1 -o out.pb" \
	"missing --step 1 -o out.pb" "job --step 99 -o out/" \
	"$one --step 99 -o out.pb" "$one --from 1h -o out.pb" \
	"$one --from 2s --to 1s -o out.pb" "$one --from soon -o out.pb" \
	"job --host no-such --from 1ms -o out/" "$one --step 1 -o none/out.pb" \
	"--label a $one --label b $one --step 1 -o out/"; do
	echo "slice $line"
	say $line
done
echo "an input is no output"
md5sum $one >before
say $one --step 1 -o $one
say job --step 1 -o "$(dirname "$one")/"
md5sum -c --quiet before
echo "garbage, an empty file, a format that is not cut"
head -c 5000 /dev/zero >zeros
: >empty.xplane.pb
say zeros --from 1s -o out.pb
say empty.xplane.pb --from 0s -o out.pb
cp "$NETAN_ROOT/tests/fuzz/corpus/jax/tpu" job.json
say job.json --from 0s -o out.json
netan synth -q -o c.pcap --size 10KB
say c.pcap --from 0s --anonymize -o out.pcap
echo "names that nobody has, and one file for several"
echo 10.9.9.9,nobody >hosts.csv
say c.pcap --from 0s --hosts hosts.csv -o out.pcap
say job --step 1 -o out.pb
say job --step 1 --anonymize -o out.pb
netan ingest -q job -o job.netan
netan slice - --step 1 -o out.netan <job.netan 2>&1
netan slice -q job.netan --step 1 --host host-1 -o out.netan.gz
netan timeline out.netan.gz | head -n 1
