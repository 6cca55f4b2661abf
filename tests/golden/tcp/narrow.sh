# In 80 columns the longest IPv4 addresses leave room for both ends, the verdict,
# the time lost and the loss.
command -v python3 >/dev/null || {
	echo "skip: no python3"
	exit 77
}
netan synth -q -o x.pcap --condition timeout
python3 -c '
x = open("x.pcap", "rb").read()
for i in range(1, 5):
    x = x.replace(bytes([10, 1, 0, i]), bytes([210, 210, 210, 210 + i]))
open("long.pcap", "wb").write(x)'
COLUMNS=80 netan tcp -q long.pcap --top 3 | sed -n '4,9p'
