# Steps are the same, and one host computes longer: more slack alone is not
# better.
# Not sanitized: what is concluded; the same commands read sanitized elsewhere.
netan synth -q -o healthy --hosts 8 --seed 1
netan synth -q -o slow --hosts 8 --seed 1 --fault slow-compute:2:1.3
netan diff healthy slow | grep 'Nothing but slack'
netan diff -q healthy slow --format json | grep -E '^    "verdict"'
