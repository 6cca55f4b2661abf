# The notebook's counts of slow transfers; and that the busiest pair, which
# it puts first, is not the one with the most of its transfers slow.
equiv=$NETAN_ROOT/notebooks-equiv data=$NETAN_ROOT/tests/data
oracle=$NETAN_ROOT/tests/oracle/notebook.tsv
for t in a c; do
	sh "$equiv/05_slow_pairs.sh" --parity --no-picture -o $t \
		"$data/notebook-$t.xplane.pb" >/dev/null
	awk -F '\t' -v t=$t '
		FNR == NR { gsub(/s/, "", $1); gsub(/d/, "-", $1)
			if (FNR > 1) { split($1, e, "->"); got[e[1], e[2]] = $2
				slow += $2 }
			next }
		$1 == "slow" && $2 == t { rows++; want += $5
			equal += got[$3, $4] == $5 }
		END { print t ":", equal, "equal of", rows, slow - want, "more"
		}' $t/slow_pairs.tsv "$oracle"
done
echo 'the notebook puts first:'
sed -n 2p c/slow_pairs.tsv
sh "$equiv/05_slow_pairs.sh" --no-picture -o share --anchor start \
	"$data/notebook-c.xplane.pb"
echo 'by share:'
sed -n 2,3p share/slow_pairs.tsv
sed -n 3p share/pairs.txt
