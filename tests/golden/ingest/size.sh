# At most 16 bytes a transfer and 8 another record; the same bytes whatever
# the threads; in and out of pipes; again from a transfer file.
netan synth -o t --hosts 2 --steps 40 >/dev/null
netan ingest -o a.netan -j 1 t | tr -d '\302\240\342\200\257' | awk '
/^wrote/ { for (i = 1; i < NF; i++) {
	if ($(i + 1) ~ /^transfers/) t = $i
	if ($(i + 1) ~ /^other/) o = $i } }
END { print t, "transfers,", o, "others" }'
netan ingest -o b.netan -j 3 t | sed -n 's/\<[0-9]\{1,2\}\.[0-9]\>/N/gp' | tail -1
cmp a.netan b.netan && echo "the same for any -j"
netan ingest -o - t | cmp - a.netan && echo "the same through a pipe"
bytes=$(wc -c <a.netan)
echo "$((bytes <= 16 * 10880 + 8 * 47310)) fits"
netan info --format csv --table totals a.netan
gzip -c a.netan | netan info --format csv --table totals -
netan ingest -o c.netan a.netan >/dev/null
netan info --format csv --table totals c.netan
