# Of a plane that is cut off the names of ops are missing: its device would seem
# idle, and the host whose file is damaged late.  The devices before it count.
netan synth -o whole --run r --hosts 4 --steps 12 >/dev/null
size=$(wc -c <whole/plugins/profile/r/host-1.xplane.pb)
for share in 0.02 0.05 0.08; do
	rm -rf t
	cp -r whole t
	truncate -s "$(awk "BEGIN { print int($size * $share) }")" \
		t/plugins/profile/r/host-1.xplane.pb
	netan steps t --format tsv --table hosts 2>/dev/null | cut -f 1,2
	netan steps t --format tsv --table stragglers 2>/dev/null | cut -f 1,2
	netan check t 2>/dev/null | head -n 1 | cut -c 1-60
done
# Of one device nothing is left.
head -c 20000 whole/plugins/profile/r/host-1.xplane.pb >one.xplane.pb
netan steps one.xplane.pb
