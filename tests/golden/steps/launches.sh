# No device planes, or planes that tell no steps: launches of the program.
try()
{
	rm -rf t
	netan synth -o t --run r --hosts 4 --devices 2 --steps 20 --ops 10 "$@" >/dev/null
	netan steps t --top 3
}
try --skip-planes 2
try --skip-planes 2 --fault slow-compute:2:1.4 | sed -n 1,12p
try --skip-planes 2 --fault slow-receiver:1:4 --fault clock:1:5ms | sed -n 1,12p
try --without steps --without modules | sed -n 3p
# What is not known is null, and drawn as a sentence.
netan steps t --format tsv --table steps | cut -f 1-6,10-12,18,19 | sed -n 1,3p
netan steps t -o x.svg
grep -c 'program launches' x.svg
# Older messages name no launch; --step chooses none.
netan synth -o u --run r --hosts 2 --devices 1 --steps 2 --ops 10 \
	--skip-planes 1 --generation message >/dev/null
netan steps u
echo "exit $?"
netan steps t --from 100ms --to 300ms | grep window
netan steps t --step 3 -q
echo "exit $?"
