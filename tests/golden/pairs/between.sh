# All ways from some hosts to others are slow, and the racks are not known: no
# NIC is, but nobody is acquitted.  Without that everybody is.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
ways()
{
	for i in $1; do
		for j in $2; do
			echo "--fault slow-path:$i:$j:$3"
		done
	done
}
outcome()
{
	netan synth -q -o job --hosts 16 --devices 1 --steps 12 "$@"
	netan pairs -q --format json job | grep -E '"(what|outcome)":'
	rm -r job
}
outcome
outcome --seed 1014 --steps 10 --collectives 5 $(ways "1 14" "5 12" 1.5)
outcome $(ways "0 1 2 3" "4 5 6 7" 1.5)
outcome $(ways "0 1 2 3 4 5 6 7" "8 9 10 11 12 13 14 15" 1.5)
