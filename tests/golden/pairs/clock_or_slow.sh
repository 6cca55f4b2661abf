# A slow side is no clock, with few hosts either; a clock that is off is one.
clocks()
{
	netan synth -q -o job --steps 12 "$@"
	netan pairs -q job --format json | sed -n '/"clock_offsets"/,/\]/p' |
		sed -n 's/\(_us": -*[0-9]*\)\.[0-9]*/\1/; s/^ *//; /host/p; /_us/p'
	rm -r job
	echo
}
clocks --hosts 3 --seed 84 --fault slow-sender:2:3
clocks --hosts 8 --slices 2 --seed 39 --fault slow-receiver:5:3
clocks --hosts 4 --seed 3 --fault clock:2:50us
clocks --hosts 4 --seed 3 --fault clock:1:-5ms --fault slow-receiver:1:3
# Of two hosts the slower direction is told, as check tells it.
netan synth -q -o two --hosts 2 --steps 16 --fault slow-sender:1:3
netan pairs -q two | grep 'way back'
netan check -q two | sed 1q
rm -r two
