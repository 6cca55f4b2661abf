# Rows may say why a host is last where none stands out: that accuses nobody.
netan synth -q --hosts 4 -o clean
netan steps -q clean | sed -n '3s/:.*//p;/^cause:/p'
