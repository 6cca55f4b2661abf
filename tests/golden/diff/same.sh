# A run against itself, and halves of a run: no difference, whatever the
# threads, and the same bytes.
netan synth -o t --run r --hosts 4 --devices 2 --steps 40 --ops 4 >/dev/null
netan diff t t
netan diff t t --format json -j1 >a
netan diff t t --format json -j7 >b
cmp a b && echo same
netan ingest t -o t.netan -q
netan diff t t.netan | sed -n 3p
# What the filters leave: A of everything, and so B.
netan diff t t --step 1-20 --top 0 | sed -n 1,4p
