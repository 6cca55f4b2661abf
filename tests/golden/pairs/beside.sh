# A capture beside one host's trace tells no more of the other hosts' files.
netan synth -q -o s --run r --hosts 4 --steps 6
netan synth -q -o calls.pcap --connections 1 --condition healthy --rpcs 67 \
	--roce 0 --size 100KB
file=s/plugins/profile/r/host-0.xplane.pb
netan pairs $file | sed -n 's/: no culprit.*, and what/ ... and what/p'
netan pairs $file calls.pcap | sed -n 's/: no culprit.*, and what/ ... and what/p'
# And the pictures of a report say that it is not drawn.
netan report s calls.pcap -q -o r.html
grep -o '^<desc.*not drawn' r.html | sed 's/<desc id="\(.*\)-desc".* · /\1: /'
