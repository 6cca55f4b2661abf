# The same collectives in small chunks and in large ones, each by itself and
# side by side.
for chunk in 4KiB 8MiB; do
	netan synth -o $chunk --run r --hosts 2 --devices 1 --steps 2 \
		--collectives 3 --chunk $chunk >/dev/null
	netan sizes $chunk | sed -n '3,4p;/change/p'
done
netan sizes --label small 4KiB --label large 8MiB
netan sizes --label small 4KiB --label large 8MiB --format csv |
	cut -d, -f 1-3,9-15
