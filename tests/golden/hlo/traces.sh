# Traces hold the programs that they ran; one host runs another one.
netan synth -o same --run r --hosts 3 --devices 2 --steps 2 --collectives 3 \
	-q
netan hlo same
echo "exit $?"
netan synth -o t --run r --hosts 4 --devices 2 --steps 2 --collectives 3 \
	--fault program:2 -q
netan hlo t --fail-on error
echo "exit $?"
f=t/plugins/profile/r
for format in csv tsv md; do
	netan hlo $f --format $format
done
netan hlo t --top 2 | tail -n 9
netan hlo t --format csv --table collectives | sed -n 1,4p
netan hlo t -o out.json
netan hlo $f/host-2.xplane.pb $f/host-0.xplane.pb --format json |
	grep -A 9 '"verdict"' | cut -c 1-200
netan hlo - <$f/host-2.xplane.pb | sed -n 3p
cat $f/host-2.xplane.pb | gzip | netan hlo - | sed -n 3p
# Two runs of the same hosts.
netan hlo --label old same --label new t | sed -n 1,8p
