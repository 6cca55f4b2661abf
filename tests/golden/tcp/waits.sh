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
# Rows of a window have numbers of their own; too few packets there ask for a
# wider one.
netan tcp -q c.pcapng --connection 6 --from 70ms --to 280ms -o z.svg
grep -oE 'connection [0-9]+ of [^·<]*' z.svg | head -1
netan tcp -q c.pcapng --connection 13 --from 70ms --to 280ms -o z.svg 2>&1
netan tcp -q c.pcapng --connection 13 -o z.svg 2>&1
netan tcp -q c.pcapng --from 70ms --to 71ms --format json |
	grep -o '"missing": "too.*' | sort -u
