# Calls hold the time of their servers: beside messages one way, in a capture in
# which nothing is wrong, nobody is named for serving them.
netan synth -q -o h.pcap --condition healthy --hosts 4 --rpcs 400 --connections 12
netan pairs -q h.pcap --format json | grep -e '"outcome"' -e '"verdict"'
netan pairs -q h.pcap --format json --component network | grep -e '"outcome"'
netan check -q h.pcap | sed 1q
