# Runs stand side by side, each judged by itself.
netan synth -o a --run a --hosts 8 --devices 2 --steps 8 --fault slow-sender:3:4 >/dev/null
netan synth -o b --run b --hosts 8 --devices 2 --steps 8 --seed 2 >/dev/null
netan pairs a b
echo "exit $?"
netan pairs --label bad a --label good b --top 3 --fail-on error
echo "exit $?"
netan pairs --label bad a --label good b --format csv |
	cut -d, -f 1 | sort | uniq -c
netan pairs --label bad a --label good b --format csv --table culprits |
	cut -d, -f 1-3
