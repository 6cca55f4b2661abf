# What is missing is named: hosts, steps; and nobody whom nothing accuses.
netan synth -q -o job --hosts 8 --steps 12 --fault slow-sender:host-3:4
netan check -q --from 0.5s --to 1.0s job | sed 1q
netan synth -q -o three --hosts 3 --steps 8
netan check -q three | sed 1q
netan synth -q -o cut --hosts 4 --steps 12 --seed 56 --fault truncate:2:0.5
netan check -q cut 2>/dev/null | sed 1q
rm -r job three cut
