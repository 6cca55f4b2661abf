# Recorders tell when operations were queued: nobody is said to wait, and who
# is last is who queued last.
netan synth --profile pytorch --hosts 2 --devices 4 --steps 6 \
	--fault late-rank:r5:4ms --evidence kineto --evidence recorder \
	-o slow -q
netan collectives slow/recorder | grep -A6 '^operations that'
echo
netan collectives slow/kineto | grep -A3 '^executions on all'
