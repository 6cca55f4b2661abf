# Directories and hosts that are called like netan's own words: results and
# sentences are those of any other name, and only the name itself is hidden.
netan synth -q -o plain --run r --hosts 4 --devices 1 --steps 6 --seed 3 \
	--fault slow-sender:host-1:4
for command in check pairs steps; do
	for format in json table; do
		netan $command --anonymize plain -q --format $format >want
		for word in network guilty src error end info slow host; do
			ln -s plain $word
			netan $command --anonymize $word -q --format $format |
				diff want - || echo "$command $word $format"
			rm $word
		done
	done
done
netan check --anonymize plain -q -o want.prom
ln -s plain network
netan check --anonymize network -q -o x.prom
diff want.prom x.prom
mkdir hosts
for k in 0 1 2 3; do
	set -- network compute guilty src
	shift $k
	cp plain/plugins/profile/r/host-$k.xplane.pb hosts/$1.xplane.pb
done
netan check --anonymize hosts -q | head -n 1
netan check --anonymize hosts -q --format json | grep -A 7 '"accused"'
