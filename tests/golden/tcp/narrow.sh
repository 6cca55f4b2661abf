# In 80 columns the longest IPv4 addresses leave room for both ends, the verdict,
# the time lost and the loss.
netan synth -q -o x.pcap --condition timeout
LC_ALL=C sed 's/\x0a\x01\x00\x0\([\x01-\x09]\)/\xd2\xd2\xd2\xd\1/g' x.pcap >long.pcap
COLUMNS=80 netan tcp -q long.pcap --top 3 | sed -n '3,8p'
