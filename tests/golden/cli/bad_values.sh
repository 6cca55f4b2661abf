# What a value should have been, and how it is written.
try()
{
	netan timeline "$@" x 2>&1 | sed 1q
}
try --format xml
try --color blue
try -j 0
try -j four
try --min-size 12XB
try --max-rate 400
try --max-rate fast
try --scale 11
try --top 0
try --quiet=yes
try --anchor
try --by --top 3
try --side both
netan synth -q -o t --hosts 1 --steps 1
netan timeline --from 5 t
netan timeline --to soon t
