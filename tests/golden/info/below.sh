# A job's directory whose traces and dumps lie below it; links in circles.
netan synth -q --profile pytorch --hosts 2 --devices 2 --steps 6 \
	--evidence kineto --evidence recorder -o job
ln -s .. job/kineto/up
mkdir -p job/logs/a/b/c
echo text >job/logs/out.txt
netan info job | grep -v '^time'
# Four deep is not looked at.
mv job/kineto job/recorder job/logs/a/b/c
netan info job 2>&1
# rocprofv3 writes HOST/PID_results.json; what else ends so is another's.
mkdir -p amd/node-a amd/node-b
roc=$NETAN_ROOT/tests/fuzz/corpus/kineto/rocprof.json
cp "$roc" amd/node-a/908_results.json
sed 's/:1\([0-9]\),/:2\1,/g' "$roc" | gzip >amd/node-a/909_results.json.gz
sed 's/:1\([0-9]\),/:3\1,/g' "$roc" >amd/node-b/910_results.json
echo '{"loss": 1}' >amd/node-b/eval_results.json
netan info amd 2>/dev/null | sed -n '1p;/^ranks/,/^$/p'
true
