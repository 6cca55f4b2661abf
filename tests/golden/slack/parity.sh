# --reference to the microsecond, against a reader and a walk of its own.
command -v python3 >/dev/null || { echo "skip: no python3"; exit 77; }
netan synth -o t --run r --hosts 3 --devices 2 --steps 8 --collectives 9 \
	--seed 9 --fault stall:all-reduce.19_1:3ms --fault clock:1:3333ns \
	>/dev/null
python3 "$NETAN_ROOT/tests/oracle/slack_reference.py" t | sort >want
netan slack t --reference --format tsv | awk -F'\t' '
	NR == 1 { for (i = 1; i <= NF; i++) n[$i] = i; next }
	{
		print $n["collective"], $n["host"], $n["occurrences"], \
			$n["slack_us.mean"], $n["observed_us.mean"], \
			$n["stall_us.mean"], $n["send_us"], $n["send_done_us"], \
			$n["recv_us"], $n["recv_done_us"]
	}' | sort >got
diff want got && wc -l <got
