# What is timed; what one component counts, all of them count.
netan synth -o t --run r --hosts 2 --devices 2 --steps 3 >/dev/null
netan latency t --by component --format csv | cut -d, -f1-5 | sort >all
cat all
for c in network receive send d2h h2d compute graph kernel; do
	netan latency t --component $c --format csv 2>err |
		sed -n 's/^\([0-9]\)/'$c',\1/p' | cut -d, -f1-5
	cat err
done | sort >each
grep -v ^component all | diff - each
netan latency t --side tx --format csv | cut -d, -f1-4
netan latency t --component pigeon
echo "exit $?"
