# Each query of docs/sql.md, as it stands there.
netan synth -o s --run r --hosts 4 --steps 10 --fault slow-path:1:2:6 \
	--fault tail:3:0.01 >/dev/null
netan synth -o g --profile pytorch --hosts 2 --devices 2 --steps 4 \
	--fault late-rank:1:5ms >/dev/null
netan synth -o c.pcap --size 1MB >/dev/null
printf 'host,rack\nhost-0,a\nhost-1,a\nhost-2,b\nhost-3,b\n' >topo.csv
awk '/^## Questions to a trace/ { on = "s" } /^## Questions to a GPU/ { on = "g" }
	/^## Questions to a capture/ { on = "c" }
	/^### / { title = substr($0, 5) }
	/^```$/ { sql = 0 }
	sql { print >file }
	/^```sql$/ { sql = 1; file = sprintf("%02d.sql", ++n)
		print on, title >"list" }' "$NETAN_ROOT/docs/sql.md"
netan export s --topology topo.csv -o s.sqlite -q
netan export g/kineto -o g.sqlite -q
netan export c.pcap -o c.sqlite -q
n=0
while read -r on title; do
	n=$((n + 1))
	echo "== $title"
	query=$(cat "$(printf %02d.sql $n)")
	netan sql $on.sqlite "$query" --format tsv || echo "exit $?"
	# From the traces it is the same.
	case $on in
	s) netan sql s --topology topo.csv "$query" --format tsv ;;
	g) netan sql g/kineto "$query" --format tsv ;;
	c) netan sql c.pcap "$query" --format tsv ;;
	esac >again
	netan sql $on.sqlite "$query" --format tsv | cmp - again
done <list
echo "$n questions"
