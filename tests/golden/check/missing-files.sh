# Where the sick host's own file is missing, or was cut: what the others' files
# tell of it is named, by its devices, and nothing that its file could hide has
# passed.  A slice of two hosts is cut into hosts as the files that are here
# are.  A healthy job accuses nobody.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
ask()
{
	name=$1 host=$2
	shift 2
	netan synth -q -o "$name" --run r --hosts 8 --devices 2 --steps 10 "$@"
	echo "$name"
	files=$name/plugins/profile/r
	mv "$files/host-$host.xplane.pb" "$name"
	netan check -q "$files" -o said.json -o - >said
	sed -n '1p; /^[a-z]* straggler:/,/^$/p; /^[a-z]* bad-endpoint:/,/^$/p
		/^info slack-small:/,/^Confidence/p; /^passed/{n;p;}' said |
		sed "s|$files|DIR|"
	sed -n '/"accused"/,/"power"/p' said.json | grep -e '"kind"' -e '"host'
}
ask nic 4 --fault slow-host:4:2
ask straggler 6 --fault slow-compute:6:1.5
netan steps -q straggler/plugins/profile/r --format json |
	sed -n '/"without_file"/,/^    \]/p' |
	grep -e '"name"' -e '"late"' -e '"times"' -e '"tried"'
ask slices 3 --devices 4 --slices 4 --fault slow-host:3:2.5
ask healthy 2
size=$(wc -c <nic/host-4.xplane.pb)
head -c $((size * 6 / 10)) nic/host-4.xplane.pb \
	>nic/plugins/profile/r/host-4.xplane.pb
echo cut
netan check -q nic/plugins/profile/r -o said.json -o - 2>/dev/null | sed 1q
sed -n '/"accused"/,/"power"/p' said.json | grep -e '"kind"' -e '"host'
grep -c '^Evidence: *$' said
true
