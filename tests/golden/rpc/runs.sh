# Runs side by side are never added up in what is printed.
netan synth -o a --run a --hosts 2 --devices 1 --steps 20 >/dev/null
netan synth -o b --run b --hosts 2 --devices 1 --steps 20 --seed 2 \
	--fault tail:1:0.05 >/dev/null
netan rpc a b
echo "exit $?"
netan rpc --label old a --label new b
netan rpc --label old a --label new b --format json |
	grep -E '"(label|verdict)"'
