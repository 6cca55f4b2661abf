# A run against itself changed nothing, by whatever metric, however few hosts,
# steps and transfers there are.
unchanged() {
	netan diff "$1" "$1" -q -o self.json -o - >said || return
	sed -n 's/,$//; /"verdict": \("[a-z]*"\|null\)$/s/^ *//p' self.json | sort | uniq -c |
		sed 's/ *[0-9]* //' | tr '\n' ' '
	sed -n 3p said
}
for hosts in 2 3 4 7 16; do
	for steps in 1 3 12; do
		netan synth -o "t$hosts-$steps" --hosts $hosts --devices 1 \
			--steps $steps --ops 3 -q
		echo "$hosts hosts, $steps steps: $(unchanged t$hosts-$steps)"
	done
done
netan synth -o lame --hosts 4 --steps 8 --fault slow-sender:2:3 -q
echo "a slow sender: $(unchanged lame)"
