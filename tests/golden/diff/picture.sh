netan synth -o a --run r --hosts 2 --devices 2 --steps 12 --ops 4 >/dev/null
netan synth -o b --run r --hosts 2 --devices 2 --steps 12 --ops 4 \
	--chunk 1MiB >/dev/null
netan diff a b -o x.svg -o x.png -o x.pdf -o x.json -o dark.svg --theme dark
netan diff a b -o y.svg
cmp x.svg y.svg >/dev/null || echo 'the theme shows'
head -c 4 x.pdf && echo
grep -o '<title>[^<]*' y.svg
grep -o '<desc>[^<]*' y.svg
netan diff a b -o small.svg --width 400 --height 300 && grep -c . small.svg |
	sed 's/.*/drawn/'
