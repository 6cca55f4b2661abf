# A real job of 8 ranks without sequence numbers: who came last, skew, transfer
# and what is left of the clocks are those of the truth file, exactly.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/chrome-trace/dlrm_8ranks" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
cd "$data/chrome-trace" || exit
columns=sequence,last_rank,skew_us,transfer_us,end_spread_us
netan collectives dlrm_8ranks/* --format csv --table executions |
	awk -F, -v names=$columns '
		/^#/ { next }
		!n { for (i = 1; i <= NF; i++) at[$i] = i
			n = split(names, name, ","); next }
		{ line = ""
			# The group is the one field in quotes, with 7 commas.
			gsub(/"[^"]*"/, "group")
			for (i = 1; i <= n; i++)
				line = line " " $at[name[i]]
			print line }' >"$TMPDIR/got"
awk '/"ordinal"|"last_rank"|"skew_us"|"transfer_us"|"end_spread_us"/ {
		gsub(/[^0-9]/, "", $2); line = line " " $2 }
	/"end_spread_us"/ { print line; line = "" }' \
	"$data/truth/dlrm_8ranks.json" >"$TMPDIR/want"
cmp "$TMPDIR/got" "$TMPDIR/want" && echo "$(wc -l <"$TMPDIR/want") agree"
netan collectives dlrm_8ranks/* -q
netan info dlrm_8ranks/* --format json | sed -n '/"joins"/,$p'
netan steps dlrm_8ranks/* | sed -n 3,12p
netan collectives hta_nccl_data_rank0of2.json.gz
netan check dlrm_8ranks/* | sed -n 1,4p
