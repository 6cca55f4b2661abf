# Help keeps within a narrow COLUMNS; on a terminal so do messages and what was
# written, which are one line each elsewhere.
for n in 50 70; do
	COLUMNS=$n netan pairs -h | sed '/^Example/,$d' |
		awk -v n=$n 'length > n {print "too wide: " $0}'
done
netan synth -q -o t --hosts 2 --devices 1 --steps 2
cat >say <<'END'
stty cols 60
netan timeline t --capacity 20gbps
netan pairs t -o pairs.csv
netan export t -o t.sqlite
END
if command -v script >/dev/null; then
	script -qc "sh ./say" /dev/null </dev/null | tr -d '\r' |
		sed 's/\x1b\[[0-9;]*[A-Za-z]//g' | awk 'length > 60' | head
fi
netan timeline t --capacity 20gbps 2>&1 | wc -l
