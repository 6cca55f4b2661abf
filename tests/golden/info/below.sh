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
true
