# The picture of a connection stands below the finding that is of it, be it the
# second one, and not below one of another connection.
netan synth -q -o c.pcapng --seed 883 --condition loss --condition healthy \
	--size 6MB --connections 9
netan report -q c.pcapng -o r.html 2>err
grep -oE '<h3><span class="sev">[^<]*</span>[^<]*|<figure id="figure-[^"]*' r.html
netan report -q c.pcapng -o dir/ 2>err
grep -E '^#+ |!\[' dir/report.md | head -12
