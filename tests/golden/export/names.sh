# Names are data, whatever is in them; --anonymize hides them.
netan synth -o s --run "r'); DROP TABLE transfers; --" --hosts 2 --steps 2 \
	>/dev/null
mkdir "d"
for i in 0 1; do
	cp s/plugins/profile/*/host-$i.xplane.pb \
		"d/h$i'); DROP TABLE hosts; --\".xplane.pb"
done
netan export d -o x.sqlite -q
netan sql x.sqlite 'SELECT host, recorded FROM hosts' --format csv
netan sql x.sqlite "SELECT DISTINCT src_host, dst_host FROM transfers
	WHERE src_host LIKE 'h0''); DROP%'" --format csv
netan export d -o y.sqlite --anonymize -q
netan sql y.sqlite 'SELECT host FROM hosts UNION ALL SELECT path FROM inputs
	UNION ALL SELECT DISTINCT src_host FROM transfers
	UNION ALL SELECT DISTINCT slowest_host FROM steps' --format csv
grep -q -a 'DROP' x.sqlite && echo 'in the clear'
grep -c -a 'DROP' y.sqlite
netan sql d 'SELECT host FROM hosts' --anonymize --format csv
