# Slices are called like their inputs, packed where they are called so, and
# say what they are; a damaged input is cut as far as it goes.
netan synth -q -o job --hosts 2 --devices 1 --steps 5 --ops 2
run=$(echo job/plugins/profile/*)
say() { sed -E 's/[0-9.]+ [KM]?i?B/N B/g'; }
netan slice job --step 1-2 -o out/ | say
ls out
netan slice $run/host-0.xplane.pb --step 1-2 -o a.xplane.pb.gz | say
netan slice - --step 1-2 -o - <$run/host-0.xplane.pb >b.xplane.pb
# But for what says of which file it is.
n=$(($(wc -c <b.xplane.pb) - 300))
zcat a.xplane.pb.gz | head -c $n >a
head -c $n b.xplane.pb | cmp - a && echo same
netan timeline b.xplane.pb --step 1-2 | head -n 1
netan slice job --step 1 --no-programs -o bare/ -q
netan hlo bare/ 2>&1 | head -n 1
netan info out/host-0.xplane.pb --format json | grep -c '"netan slice"'
grep -ao 'cut by netan slice --step 1-2 of host-0.xplane.pb' out/host-0.xplane.pb
netan info out | grep slice
netan steps out/ | grep -E 'slice|^steps'
netan steps out/ --step 1-4 2>&1 | grep 'is a slice'
netan steps out/ $run/host-1.xplane.pb 2>&1 | grep 'is a slice'
echo "two folders with files of one name"
mkdir x y
cp $run/host-0.xplane.pb x/trace.pb
cp $run/host-1.xplane.pb y/trace.pb
netan slice x/trace.pb y/trace.pb --step 1 -o two/ 2>&1 | say
ls two
echo "damaged"
head -c 20000 $run/host-1.xplane.pb >cut.xplane.pb
netan slice cut.xplane.pb --from 0s -o d.xplane.pb 2>&1 | say
echo "exit $?"
netan slice cut.xplane.pb --from 0s -o d.xplane.pb --strict >/dev/null 2>&1
echo "exit $?"
netan info d.xplane.pb 2>&1 | head -n 1
echo "without names"
mv $run/host-0.xplane.pb $run/rack9-carol.corp.xplane.pb
netan slice --anonymize job --step 1-2 -o anon/ | say
ls anon
cat anon/* | grep -ac carol
netan steps anon/ --step 1-2 | grep -E '^host' | cut -c1-6
