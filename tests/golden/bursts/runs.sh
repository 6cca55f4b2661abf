# Runs stand side by side, each over its own time.
netan synth -o a --run a --hosts 2 --devices 1 --steps 2 >/dev/null
netan synth -o b --run b --hosts 2 --devices 1 --steps 4 --seed 2 >/dev/null
netan bursts a b
echo "exit $?"
netan bursts --label old a --label new b -o x.svg
netan bursts --label old a --label new b
grep -o '<title>[^<]*' x.svg
netan bursts --label old a --label new b --format csv --table groups |
	awk -F, 'NR == 1 { print } { n[$2]++ } END { print NR, n["old"], n["new"] }'
