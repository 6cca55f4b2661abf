# Arguments reach netan as they are, names are never code for gnuplot.
equiv=$NETAN_ROOT/notebooks-equiv
sh "$equiv/02_sizes.sh"
echo "exit $?"
sh "$equiv/02_sizes.sh" -o
echo "exit $?"
netan synth -o t --run r --hosts 2 --devices 1 --steps 1 --collectives 1 >/dev/null
# shellcheck disable=SC2016  # on purpose
dir='a "b"; set print `id` $(id)'
sh "$equiv/02_sizes.sh" --no-picture -o "$dir" --label "'; system('id')" t
cat "$dir/sizes.tsv"
if command -v gnuplot >/dev/null 2>&1; then
	sh "$equiv/02_sizes.sh" -o "$dir" --label "'; system('id')" t >drawn 2>/dev/null
	sed -n '$p' drawn
	test -s "$dir/sizes.png" && ls
else
	: >drawn
	echo "$dir/sizes.png"
	ls
fi
# Options in all the forms that netan takes.
for given in -onb1 --output=nb2 '--output nb3'; do
	# shellcheck disable=SC2086  # words on purpose
	sh "$equiv/02_sizes.sh" --no-picture t $given
done
