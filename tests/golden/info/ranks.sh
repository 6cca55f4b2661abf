# Ranks of a GPU job: what they are called, and which inputs are no job.
netan synth --profile pytorch --hosts 2 --devices 2 --steps 4 -o job >/dev/null
netan info job/kineto | sed '/^time counts/d'

# Nothing tells the hosts, and a rank is missing.
mkdir some
i=0
for f in job/kineto/*; do
	[ $i -eq 2 ] || cp "$f" some/rank-$i.json
	i=$((i + 1))
done
netan info some | sed '/^time counts/d'
netan steps some | head -n 3
netan check some | head -n 1
netan pairs some | head -n 3

# --hosts does.
printf 'rank,host\n0,a\n1,a\n3,b\n' >hosts.csv
netan steps --hosts hosts.csv some | head -n 4
netan steps --hosts hosts.csv --anonymize some | sed -n 4,5p

# Two jobs, or one rank twice.
netan synth --profile pytorch --hosts 2 --devices 4 --steps 2 -o more >/dev/null
netan info some more/kineto/*4007* 2>&1
cp some/rank-0.json some/again-rank0.json
netan info some 2>&1
true
