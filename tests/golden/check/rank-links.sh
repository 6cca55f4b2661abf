# A slow NIC by joined transfers of ranks: named where groups cross, nobody
# where they do not; a late rank is none.
ask()
{
	name=$1
	shift
	netan synth -q -o "$name" --profile pytorch --steps 10 "$@"
	echo "$name"
	netan check -q "$name/kineto" >said
	sed -n 1p said
	sed -n '/bad-endpoint:/,/^$/p' said | sed "s|$name/kineto|DIR|"
}
ask sender --hosts 6 --devices 2 --seed 3 --fault slow-sender:2:4
ask host --hosts 8 --devices 2 --seed 3 --fault slow-host:2:2.5 \
	--fault late-rank:1:5ms
ask several --hosts 4 --devices 2 --fault slow-host:3:2.5 --fault late-rank:1:5ms
ask healthy --hosts 8 --devices 2
ask late --hosts 8 --devices 2 --fault late-rank:5:6ms
ask two --hosts 2 --devices 8 --fault slow-host:1:4
# Of one group on all hosts nothing tells whose link it is.
netan collectives -q sender/kineto --collective '*GATHER' --format json |
	grep -o '"verdict": "[^"]*hosts[^"]*"'
# The same of what NCCL Inspector saw, whose communicators have names of their own.
netan synth --profile pytorch --hosts 6 --devices 2 --seed 3 --steps 10 \
	--fault slow-sender:2:4 --evidence inspector -o logs -q
netan check logs/inspector | head -1
