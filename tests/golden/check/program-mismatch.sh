# Hosts that run another program, and nothing without modules.
found()
{
	netan check "$@" --only program-mismatch --only small-transfers \
		--format json |
		grep -E '"(severity|title|module|hosts|missing)":' |
		sed 's/^ *//; s/,$//'
}
job()
{
	netan synth -q --run r --hosts 4 --devices 2 --steps 3 -o "$@"
}
job clean
netan check -q clean --only program-mismatch --fail-on info >/dev/null
echo "clean: exit $?"
netan check -q clean | sed -n '/^passed/{N;s/\n/: /;p;}'
job other --fault program:host-2
found other
netan check -q other | grep -E '^(error|warning) '
netan check -q other --only program-mismatch --fail-on warning >/dev/null
echo "exit $?"
netan ingest -q other -o other.netan >/dev/null
found other.netan
echo "one host, no modules"
found other/plugins/profile/r/host-2.xplane.pb
job bare --without hlo
found bare
