# ingest --anonymize: a user whose name begins a collective's, which only a path
# in a later input tells: the name is in no file that is written.
netan synth -q -o s --run r --hosts 3 --devices 1 --steps 2 --seed 3
at=s/plugins/profile/r
LC_ALL=C sed -i 's/all-reduce\.40_1/zq12-reduc.40_1/g' $at/host-0.xplane.pb
LC_ALL=C sed -i "s|all-reduce\.40_1|/home/zq12/a.py|g" $at/host-2.xplane.pb
seen()
{
	for f in "$@"; do
		netan latency $f -q --by collective --format csv | cut -d, -f1 |
			grep -E 'reduc\.40|path|zq12' | sed "s|^|$f: |"
	done
}
netan ingest -q --anonymize $at -o one.netan
seen one.netan
netan ingest --anonymize $at -o - | cmp - one.netan && echo "the same in a pipe"
netan ingest --anonymize $at -o dir/
seen dir/*
cp -r dir before
# A file that is missing: all are read for the names in them.
netan ingest --anonymize $at -o dir/
rm dir/input-2.netan
netan ingest --anonymize $at -o dir/
diff -r dir before && echo "the same again"
# Once more hidden, nothing is hidden twice, and what is there stays.
netan ingest -q --anonymize one.netan -o two.netan
seen two.netan
netan latency one.netan -q --format json | grep -v '"bytes"' >a.json
netan latency two.netan -q --format json | grep -v '"bytes"' >b.json
diff a.json b.json
netan check --anonymize $at -q --format json | grep -c zq12
netan latency --anonymize $at -q --by collective --format csv | grep -c zq12
netan export --anonymize $at -q -o x.sqlite && LC_ALL=C grep -ac zq12 x.sqlite
netan report --anonymize $at -q -o x.html && LC_ALL=C grep -ac zq12 x.html
netan partial -q --anonymize --shard 1/1 -o x.nap check $at
netan merge -q -o y.nap x.nap
netan partial -q --anonymize --plan y.nap --shard 1/1 -o z.nap check $at
netan merge z.nap -q -o x.json
grep -c zq12 x.json || :
# Hosts that are called as pseudonyms are: no number is one of them, in any
# command of theirs, and a topology's racks and other hosts are no exception.
printf 'host,rack\nhost-0,rack-7\nhost-1,rack-7\nhost-2,rack-8\nzoe,rack-9\n' >racks.csv
numbered()
{
	netan "$@" -q --format json | grep -v '"command"\|"picture"\|"schema"' |
		grep -oE '\b(anon)*(host|rack)-[0-9]+\b' | sort -u | tr '\n' ' '
	echo "$1"
}
numbered info --anonymize $at
numbered latency --anonymize $at --by host
numbered check --anonymize $at
numbered pairs --anonymize $at --topology racks.csv
numbered latency --anonymize $at --host host-1 --by host
netan ingest --anonymize $at -q -o three.netan
numbered info three.netan
numbered info --anonymize three.netan
numbered latency --anonymize three.netan --by host
