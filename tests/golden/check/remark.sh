# A remark does not stand before what is not known.
netan synth -q -o job --hosts 4 --devices 2 --steps 3
netan check -q job | sed -n '1p; 3p'
