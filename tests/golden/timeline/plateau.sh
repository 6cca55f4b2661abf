# Who stays at one rate stands in the first line, and in the title of the picture.
netan synth -q -o job --hosts 2 --devices 2 --steps 4 --link-rate 10Gbps
netan timeline -q job | grep 'stays* near'
netan timeline job -o bw.svg 2>&1
# A host that is slow both ways stays level both ways, and is drawn so.
netan synth -q -o both --hosts 4 --devices 2 --steps 6 --fault slow-host:2:6
netan timeline -q both | grep 'stays* near'
netan timeline -q both --format json | grep -o '"plateau[^,]*'
netan timeline -q both --by host -o bw.svg
grep -o '<title>[^<]*' bw.svg
