# Whom check accuses comes first: new, gone, the same.  Healthy runs that
# differ name nobody, and neither do runs of other numbers of hosts or steps.
netan synth -o well --hosts 8 --devices 2 --steps 12 --seed 1 -q
netan synth -o lame --hosts 8 --devices 2 --steps 12 --seed 2 --fault slow-sender:3:2.5 -q
netan synth -o other --hosts 8 --devices 2 --steps 12 --seed 5 --fault slow-receiver:6:3 -q
netan synth -o few --hosts 6 --devices 2 --steps 12 --seed 3 -q
netan synth -o short --hosts 8 --devices 2 --steps 6 --seed 4 -q
for pair in "well lame" "lame well" "lame other" "lame lame" "well few" \
	"well short"; do
	echo "$pair"
	netan diff $pair | sed -n '3p;/^check of/p'
done
# A run from a pipe can be read once.
netan ingest lame -o lame.netan -q
netan diff well - <lame.netan | sed -n '3p;/^check of/p'
netan diff well lame --anonymize | sed -n '3p;/^check of/p'
