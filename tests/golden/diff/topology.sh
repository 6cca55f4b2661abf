# diff asks check with the topology that it is given, as check is.
netan synth -q -o a --run a --hosts 8 --devices 2 --slices 2 --steps 16 --seed 3
netan synth -q -o b --run b --hosts 8 --devices 2 --slices 2 --steps 16 --seed 3 \
	--fault slow-sender:3:3
for i in 0 1 2 3 4 5 6 7; do
	echo "host-$i,r$((i / 4))"
done | sed '1i host,rack' >t.csv
for with in '' '--topology t.csv'; do
	for run in a b; do
		netan check -q $run $with | sed -n 1p
	done
	netan diff -q --label A a --label B b $with | grep '^check of'
done
