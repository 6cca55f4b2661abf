# One slow path is no slow side of the hosts at its ends: with all others they
# are as quick as anybody.  Its way back is quick, so that it is not far.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
first()
{
	netan synth -q -o job --hosts 8 --devices 2 --steps 12 --seed 1 "$@"
	netan check -q job | sed -n 's/ ([0-9.]*x slower.*//; 1p'
	rm -r job
}
first --fault slow-path:1:2:3
first --fault slow-path:0:1:1.6
first --fault slow-path:2:5:4
first --fault slow-receiver:2:1.6
first --fault slow-sender:0:1.6
# Of few hosts what waits for it in one collective is as slow there.
first --fault slow-path:0:1:8 --hosts 4 --steps 16 --seed 41
# Whom all slow connections share.
first --fault slow-sender:5:3 --hosts 16 --steps 6 --seed 5 --pattern ring
# Two culprits; a pair that talks to nobody else; a mild one.
first --fault slow-sender:1:3 --fault slow-receiver:6:3 --seed 32
first --fault slow-sender:3:3 --slices 2 --seed 38
first --fault slow-sender:9:2 --hosts 16 --steps 6 --seed 4
