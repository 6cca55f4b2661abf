# One slow path is no slow side of the hosts at its ends: with all others they
# are as quick as anybody.
first()
{
	netan synth -q -o job --hosts 8 --steps 12 --seed 1 --fault "$1"
	netan check -q job | sed -n 's/ ([0-9.]*x slower.*//; 1p'
	rm -r job
}
first slow-path:1:2:3
first slow-path:0:1:1.6
first slow-path:2:5:4
first slow-receiver:2:1.6
first slow-sender:0:1.6
