# Real traces agree with their truth on planes, lines and events; without
# network events they say so; other formats are named.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/xplane" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
for f in "$data"/xplane/*.pb; do
	name=${f##*/}
	case $name in *mangled*) continue ;; esac
	# One "plane lines events" row each, from the truth file and from us.
	tr -d '\n' <"$data/truth/$name.json" |
		sed 's/{"name":"\([^"]*\)","id":[^,]*,"n_lines":\([0-9]*\)/\n@\1 \2 /g; s/"n_events":\([0-9]*\),"n_lines_listed"/\n=\1\n/g' |
		awk '/^@/ { row = substr($0, 2); sub(/ ,.*/, "", row) }
			/^=/ { print row, substr($0, 2) }' >want
	netan info "$f" --format json | tr -s '\n ' ' ' |
		sed 's/{ "name": "\([^"]*\)", "lines": \([0-9]*\), "events": \([0-9]*\) }/\n@\1 \2 \3\n/g' |
		sed -n 's/^@//p' >got
	cmp got want && echo "$name: $(wc -l <got) planes agree"
	netan info "$f" | tail -n 1
	netan timeline "$f" 2>/dev/null
	echo "exit $?"
done
cd "$data" || exit
for f in xplane/*mangled* chrome-trace/*.gz; do
	netan info "$f" 2>&1
	echo "exit $?"
done
