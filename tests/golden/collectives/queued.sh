# Recorders tell when operations were queued: nobody is said to wait, and who
# is last is who queued last.
netan synth --profile pytorch --hosts 2 --devices 4 --steps 6 \
	--fault late-rank:r5:4ms --evidence kineto --evidence recorder \
	-o slow -q
netan collectives slow/recorder | grep -A6 '^operations that'
echo
netan collectives slow/kineto | grep -A3 '^executions on all'
echo
# Who did not call is in no row, and that is said.
netan synth --profile pytorch --hosts 2 --devices 4 --steps 4 --seed 3 \
	--fault stuck-host:r6 --evidence recorder -o stuck -q
netan collectives stuck/recorder | grep '^in no list'
netan collectives slow/recorder | grep -c '^in no list'
true
