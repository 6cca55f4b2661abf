# No line of words is wider than COLUMNS asks for; what is copied stays whole.
netan synth -q -o s --run r --hosts 4 --devices 2 --steps 8 \
	--fault slow-sender:host-1:3
for command in check steps pairs rpc slack latency; do
	COLUMNS=80 netan $command -q s |
		grep -e '[a-z]: .* [a-z]* ' -e '^  [a-z]' | grep -v -e '^More: ' -e '^Draw: ' |
		awk -v command=$command 'length > 80 { print command ": " $0 }'
done
COLUMNS=60 netan check -q s | sed '/^$/,$d'
netan check -q s | sed '/^$/,$d'
COLUMNS=no netan check -q s | sed '/^$/,$d' | wc -l
# Sentences in tables are broken between words, not cut.
netan synth -q -o x.pcap --condition timeout --condition window-limited
COLUMNS=80 netan tcp -q x.pcap | sed -n '/^the worst/,/^$/p'
