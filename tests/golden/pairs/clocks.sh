# Where a clock is put right the pairs are, too; of a pair none of whose transfers
# shows a time nothing is said.
netan synth -q -o job --hosts 4 --devices 1 --steps 12 --fault clock:2:5ms
netan pairs -q job | sed -n '/^clocks/,/^$/p; /^source/,/^$/p'
rm -r job
# What comes in some steps alone, which no pair shows, does not come first.
netan synth -q -o job --hosts 4 --pattern ring
netan pairs -q job | sed -n 3p
