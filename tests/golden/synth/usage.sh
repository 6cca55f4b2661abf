# What is refused, and what is said about it.
netan synth
echo "$?"
netan synth -o out trace.pb
echo "$?"
netan synth -o out --fault slow-sneder:1:2
echo "$?"
netan synth -o out --fault slow-path:0:9:2
echo "$?"
netan synth -o out --fault tail:1
echo "$?"
netan synth -o out --fault small-slack:ar.1
echo "$?"
netan synth -o out --hosts 5 --slices 2
echo "$?"
netan synth -o out --hosts 1 --fault tail:0:0.1
echo "$?"
netan synth -o out --profile network --fault tail:0:0.1
echo "$?"
netan synth -o out --run a/b
echo "$?"
test ! -e out
