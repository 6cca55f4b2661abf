# A healthy connection that waited, too seldom for a verdict: a small segment
# behind a late ACK, a call that was answered late, a late ACK.  Nobody says that
# nothing was wrong.
title() { grep -oE '<title>[^<]*' "$1"; }
netan synth -q -o c.pcapng --seed 883 --condition loss --condition healthy \
	--size 6MB --connections 9
netan tcp -q c.pcapng | grep 'a wait'
netan tcp -q c.pcapng --connection 11 -o c.svg
title c.svg
netan synth -q -o s.pcapng --seed 883 --condition loss --condition healthy
netan tcp -q s.pcapng | grep 'a wait'
for i in 12 13 14; do
	netan tcp -q s.pcapng --connection $i -o s.svg
	title s.svg
done
netan tcp -q s.pcapng --format json | grep -A1 -E '(late|after|took) '
