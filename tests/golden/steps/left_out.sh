# What is left out counts once, in words and in pictures; slack counts its own,
# too.
netan synth -q -o s --hosts 4 --steps 6
for command in steps slack; do
	netan $command s --step 3 -o x.svg -q
	netan $command s --step 3 | sed -n 's/.* used, //p'
	grep -oE '[0-9]+ left out' x.svg
done
