# GPUs with NCCL kernels: the bytes, and what the truth says of them.
netan synth -o out --run r --profile gpu --hosts 2 --devices 2 --steps 2 \
	--collectives 4 --ops 2 --fault slow-compute:host-1:1.5 --hlo-dump dump
cat out/plugins/profile/r/*.pb dump/*/* | cksum
netan info out | sed -n '/^hosts/,/^host-1/p'
sed -n '/"late"/,$p' out/truth.json | cut -c1-150
