# Copies on the host, as many as were planted, in both generations.
found()
{
	netan check "$@" --only memory-copy --format json |
		grep -E '"(severity|title|count|touched|touched_share|p99_s|n_threads|worst_host)":' |
		sed 's/^ *//; s/,$//'
}
job()
{
	netan synth -q --run r --hosts 4 --devices 2 --steps 6 -o "$@"
}
job clean
netan check -q clean --only memory-copy --fail-on info >/dev/null
echo "clean: exit $?"
job few --fault copy:host-2:6
found few | tee found
grep -ho '"copies": [1-9]' few/truth.json
netan ingest -q few -o few.netan >/dev/null
found few.netan | diff - found && echo same in a transfer file
job many --fault copy:host-0:400 --fault copy:1:300
found many
netan check -q many --only memory-copy --fail-on warning >/dev/null
echo "exit $?"
found many --copy-touched 0.5 | head -n 1
job old --generation message --fault copy:host-2:6
found old
