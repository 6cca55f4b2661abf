# Registrations while the job trains: as many as were planted, and only where;
# those of the start-up are none.  A transfer file says the same, and so does
# the older generation.
found()
{
	netan check "$@" --only dma-registration --only small-transfers \
		--format json |
		grep -E '"(severity|title|count|startup|touched_share|worst_host|thread|total_s|steady_by|missing)":' |
		sed 's/^ *//; s/,$//'
}
job()
{
	netan synth -q --run r --hosts 4 --devices 2 --steps 6 -o "$@"
}
job clean
netan check -q clean --only dma-registration --fail-on info >/dev/null
echo "clean: exit $?"
job many --fault registration:host-3:40
found many | tee found
grep -ho '"late_registrations": [1-9][0-9]*' many/truth.json
netan check -q many --only dma-registration --fail-on warning >/dev/null
echo "exit $?"
netan ingest -q many -o many.netan >/dev/null
found many.netan | diff - found && echo same in a transfer file
echo a limit, one host
found many --dma-overlap 1 | head -n 1
found many --host host-0
echo older messages
job old --generation message --fault registration:host-3:2
found old --dma-overlap 0.5
# Without steps a second has to pass, and this job is over by then.
echo no steps
job short --without steps --fault registration:host-3:40
found short
