# Hashes are of the bytes that were read: also packed, piped, or both.
netan synth -o c.pcap --rpcs 20 >/dev/null
gzip -kn c.pcap
hash()
{
	sed -n 's/.*<td class="hash"><code>\([^<]*\).*/\1/p' "$1"
}
netan report c.pcap -o a.html || exit 1
netan report c.pcap.gz -o b.html || exit 1
netan report - -o c.html <c.pcap || exit 1
cat c.pcap.gz | netan report - -o d.html || exit 1
set -- $(sha256sum c.pcap c.pcap.gz)
[ "$(hash a.html)" = "$1" ] && echo "a file"
[ "$(hash b.html)" = "$3" ] && echo "a packed file"
[ "$(hash c.html)" = "$1" ] && echo "standard input"
echo "packed through a pipe: $(hash d.html)"
# Damage is told, and the status is that of --strict.
netan synth -o t --run r --hosts 2 --devices 1 --steps 4 \
	--fault truncate:1:0.7 >/dev/null
netan report t -q -o e.html
echo "exit $?"
grep -o '<td>[^<]*truncated[^<]*' e.html | sed 's/[0-9][0-9]*/N/g'
netan report t -q --strict -o e.html
echo "exit $?"
