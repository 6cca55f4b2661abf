# Dumps do not tell their hosts: --hosts does, and where it is not given that
# is said.
netan synth -o g --profile pytorch --hosts 2 --devices 4 --steps 3 \
	--fault stuck-host:5 | tail -n 1
printf 'rank,host\n4,secret-b\n5,secret-b\nr6,secret-b\n' >hosts.csv
netan hang -q g | sed -n -e 1p -e '/^the host of/p'
netan hang -q g --hosts hosts.csv | sed -n -e 1p -e '/^the host of/p'
netan hang -q g --hosts hosts.csv --format json | grep '"host": "'
netan check -q g --hosts hosts.csv | head -n 3
netan hang -q g --hosts hosts.csv --anonymize | grep -c secret
netan hang -q g --hosts hosts.csv --anonymize | head -n 1
printf '1,a,b,c,d\n' >bad.csv
netan hang -q g --hosts bad.csv
echo "exit $?"
netan hang -q g --hosts none.csv
echo "exit $?"
# Logs of XLA tell of no ranks that a file could place.
echo 'Megascale hang detected: host_id 3' >one.log
netan hang -q one.log --hosts hosts.csv
echo "exit $?"
