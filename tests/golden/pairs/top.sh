# --top cuts the lists of pairs and steps in JSON and CSV as in the table, and
# says how many are not there; pictures and findings are of all.
netan synth -o t --run r --hosts 4 --devices 1 --steps 9 \
	--fault slow-sender:1:3 -q
netan pairs t --top 2 --format csv | cut -d , -f 1,2
netan pairs t --top 2 --format json | grep -c '"expected_us"'
netan pairs t --top 2 --format json | grep not_listed
netan pairs t --top 2 | grep 'listed\|^suspect: \|^cannot'
netan steps t --top 3 --format csv | cut -d , -f 1
netan steps t --top 3 --format json | grep not_listed
netan steps t --top 8 | grep shorter
netan steps t --top 99 --format json | grep not_listed || echo "all of them"
for what in pairs steps; do
	netan $what t -q -o all.svg
	netan $what t --top 2 -q -o top.svg
	cmp all.svg top.svg && echo "the same picture of $what"
done
