# slice --anonymize: a user whose name begins a collective's, which only a path
# in a later trace tells, is in no slice.
netan synth -q -o s --run r --hosts 3 --devices 1 --steps 2 --seed 3
at=s/plugins/profile/r
LC_ALL=C sed -i 's/all-reduce\.40_1/zq12-reduc.40_1/g' $at/host-0.xplane.pb
LC_ALL=C sed -i "s|all-reduce\.40_1|/home/zq12/a.py|g" $at/host-2.xplane.pb
say() { sed -E 's/[0-9.]+ [KM]?i?B/N B/g'; }
netan slice $at --from 0s -o plain/ -q
cat plain/* | LC_ALL=C grep -ac zq12
netan slice --anonymize $at --from 0s -o hidden/ | say
cat hidden/* | LC_ALL=C grep -ac zq12
netan latency hidden/ -q --by collective --format csv | cut -d, -f1 | grep -E 'reduc\.40|path'
netan ingest -q $at -o plain.netan
netan slice --anonymize plain.netan --from 0s -o hidden.netan | say
LC_ALL=C grep -ac zq12 hidden.netan
echo "it says no path, and without --anonymize a next command that works"
netan slice --anonymize $at --from 0s -o "$PWD/zq13/" | say
netan slice $at --from 0s -o plain/ | sed -n 's/^next: netan //p' >next
netan $(cat next) -q | head -n 1
echo "a slice of zq14.pb, as it says of itself"
cp $at/host-0.xplane.pb zq14.pb
netan slice -q zq14.pb --from 0s -o of.pb
netan info of.pb --format json | grep '"cut"'
netan info --anonymize of.pb --format json | grep '"cut"'
netan ingest -q --anonymize of.pb -o of.netan
netan slice -q --anonymize of.pb --from 1ms -o again.pb
cat of.netan again.pb | LC_ALL=C grep -ac zq14
netan info again.pb --format json | grep '"cut"'
echo "formats that are not cut, once"
for i in 1 2 3; do
	sed "s/\"dur\":/&$i/" "$NETAN_ROOT/tests/fuzz/corpus/jax/tpu" >$i.json
done
netan slice [123].json zq14.pb --from 0s -o out/ 2>&1 | grep -o 'is not cut.*'
ls out
