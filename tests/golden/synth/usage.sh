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
netan synth -o out --without everything
echo "$?"
netan synth -o out --fault late-input:0:2ms:3
echo "$?"
netan synth -o out --fault stall:psum.54_0
echo "$?"
netan synth -o out --profile gpu --ici 3
echo "$?"
netan synth -o out --profile typical --without hlo
echo "$?"
test ! -e out
netan synth -o out --fault late-rank:1:2ms
echo "$?"
netan synth -o out --profile pytorch --fault tail:1:0.1
echo "$?"
netan synth -o out --profile pytorch --fault mismatch:16
echo "$?"
netan synth -o out --profile pytorch --hosts 1 --devices 1
echo "$?"
netan synth -o out --profile pytorch --evidence chrome
echo "$?"
netan synth -o out --profile pytorch --without hlo
echo "$?"
netan synth -o out --evidence kineto
echo "$?"
