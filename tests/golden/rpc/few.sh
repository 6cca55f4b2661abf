# Few late calls: all wait for one server, though most of them are of one client;
# they are 200 ms late alike, beside more that are 5 ms late alike.
netan synth -q -o c.pcapng --seed 883 --condition loss --condition healthy \
	--size 6MB --connections 9
for only in "" "--component rpc"; do
	netan rpc -q c.pcapng $only | sed -n 3p
done
netan rpc -q c.pcapng --format json | tr -d '\n ' |
	grep -oE '"(alike|where)":[[{][^}]*'
