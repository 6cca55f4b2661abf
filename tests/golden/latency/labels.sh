# Runs side by side are groups of their own.
netan synth -o a --run a --hosts 2 --devices 1 --steps 2 >/dev/null
netan synth -o b --run b --hosts 2 --devices 1 --steps 2 --seed 2 \
	--fault slow-host:1:3 >/dev/null
netan latency a b
echo "exit $?"
netan latency --label old a --label new b | sed -n '1,7p'
netan latency --label old a --label new b --by host --format csv | cut -d, -f1-5
netan latency --label old a --label new b -o x.svg
grep -o '<desc>.*</desc>' x.svg
