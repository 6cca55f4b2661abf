# Ranks whose hosts nothing tells: a column says rank where it holds them, of
# some beside others host or rank, and host where it holds hosts.
netan synth -o t --profile pytorch --hosts 2 --devices 2 --steps 3 \
	--fault slow-sender:1:2 -q
mkdir alone both
for f in t/kineto/*; do
	n=$((n + 1))
	cp "$f" alone/$n.json
	case $f in *host-1*) cp "$f" both/$n.json ;; *) cp "$f" both ;; esac
done
for dir in t/kineto alone both; do
	echo "$dir"
	netan info -v $dir/*.json 2>/dev/null | sed -n '/^planes/,/^$/p'
	netan timeline -q --by host $dir/*.json | grep -A 4 'rx mean  *rx peak'
done
