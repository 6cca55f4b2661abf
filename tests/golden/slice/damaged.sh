# What is damaged or broken off in an input is said of its slice, too, and is
# an error with --strict; what came before it is written.
netan synth -q -o c.pcap --size 1MB
netan synth -q -o c.pcapng --size 1MB
netan synth -q -o job --hosts 2 --steps 5
netan ingest -q job -o all.netan
cut()
{
	size=$(stat -c %s "$1")
	head -c $((size * 2 / 3)) "$1" >"broken.$2"
	netan slice --from 0s --strict "broken.$2" -o "s.$2" >out 2>err
	echo "$2: $? $(grep -c 'damage\|file cut\|truncated' err) warned of"
	netan slice --from 0s -q "broken.$2" -o "t.$2" && cmp "s.$2" "t.$2"
	netan info -q "s.$2" --format json 2>&1 >s.json
	[ "$(grep -c '"input' s.json)" -gt 0 ] && [ -s "s.$2" ] ||
		echo "no slice"
}
cut c.pcap pcap
cut c.pcapng pcapng
cut all.netan netan
cut job/plugins/profile/*/host-0.xplane.pb xplane.pb
