# The list of commands is left out: it grows.
netan --help | sed '/^Commands:/,/^$/d'
netan --help | cksum >a
netan help | cksum | cmp - a
netan -h | sed "/^Commands:/,/^$/d"
for c in timeline check synth ingest; do
	[ "$(netan $c -h | wc -l)" -le 50 ] || echo "$c -h is more than a screen"
done
