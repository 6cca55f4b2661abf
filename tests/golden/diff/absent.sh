# A run that is not there is named, also where nobody hears warnings.
netan synth -q -o t --hosts 2 --devices 1 --steps 2
netan diff -q nosuch t
echo "exit $?"
