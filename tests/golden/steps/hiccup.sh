# One long step because of one host: in the first line, and a remark of check.
netan synth -q --hosts 8 --fault late-input:4:100ms:0.1 -o hic
netan steps hic | sed -n 3p
netan check hic | grep -A6 -e '^Network' -e '^info straggler'
netan check hic --format json | grep -e '"accused"'
# Nobody: all are as long.
netan synth -q --hosts 4 -o clean
netan steps clean | sed -n 3p
