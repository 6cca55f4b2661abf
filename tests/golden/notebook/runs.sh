# Of several profiles all are shown, not the last one alone.
equiv=$NETAN_ROOT/notebooks-equiv
cp "$NETAN_ROOT"/tests/data/notebook-[ab].xplane.pb .
sh "$equiv/02_sizes.sh" --parity --no-picture -o out \
	--label first notebook-a.xplane.pb \
	--label second notebook-b.xplane.pb
cat out/sizes.tsv
awk -F '\t' '
	FNR == NR { run = $2 == "a" ? "first" : $2 == "b" ? "second" : "other"
		if ($1 == "size") want[run, $3] = $4
		next }
	FNR > 1 { n++; equal += want[$1, $2] == $3 }
	END { print equal, "equal of", n
	}' "$NETAN_ROOT/tests/oracle/notebook.tsv" out/sizes.tsv
sh "$equiv/03_in_flight.sh" --label a x --label b y
echo "exit $?"
