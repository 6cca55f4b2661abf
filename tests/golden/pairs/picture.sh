# The picture says who, in words for those who do not see it; it is bounded.
netan synth -o t --run r --hosts 8 --steps 8 --fault slow-receiver:5:4 >/dev/null
netan pairs t -o p.svg -o p.png -o p.pdf -o d.svg --theme dark
grep -E '<(title|desc)>' p.svg
for f in p.svg p.png p.pdf; do
	test "$(wc -c <$f)" -lt 200000 && echo "$f ok"
done
netan pairs t --title 'Mine' --width 450 --height 450 -o s.svg
grep '<title>' s.svg
# What is drawn is what somebody is named by: sends where clocks are off, timeouts
# where these are what is found; where nothing can be compared, it says so.
for f in slow-sender:3:3 clock:5:5ms tail:3:0.01; do
	netan synth -q -o $f --hosts 8 --fault $f --fault clock:3:5ms
	netan pairs $f -q -o c.svg -o c.png
	grep -o 'Squares: [^<]*' c.svg
	rm -r $f
done
