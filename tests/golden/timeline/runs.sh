# Inputs of different runs are not mixed by accident.
netan synth -o a --run a --hosts 2 --devices 1 --steps 2 >/dev/null
netan synth -o b --run b --hosts 2 --devices 1 --steps 2 --seed 2 >/dev/null
netan timeline a b
echo "exit $?"
netan timeline --label old a --label new b --format csv --table series |
	awk -F, '{ n[$2]++ } NR == 1 || n[$2] == 5; END { print NR }'
netan timeline --label old a --label new b | tail -n 6
mkdir -p c/plugins/profile
cp -r a/plugins/profile/a c/plugins/profile/2026_01_05_10_00_00
cp -r b/plugins/profile/b c/plugins/profile/2026_01_06_10_00_00
netan timeline c | tail -n 2
