# Who stays at one rate stands in the first line, and in the title of the picture.
netan synth -q -o job --hosts 2 --devices 2 --steps 4 --link-rate 10Gbps
netan timeline -q job | grep 'stays near'
netan timeline job -o bw.svg 2>&1
