# Real exports of Nsight Systems: two ranks in one file, whose operations agree
# with what others computed from it; one of a reduced schema says what it lacks.
data=${NETAN_TEST_DATA-}
if [ ! -d "$data/nsight" ]; then
	echo "skip: NETAN_TEST_DATA does not name the folder of real files"
	exit 77
fi
cd "$data" || exit
export=nsight/mfu_2gpu_before.sqlite
echo "joined, starts apart, ends apart: as the truth says, as netan says"
sed -n 's/.*"\(joined\|skew_us_max\|end_spread_us_max\)": *\([0-9.]*\).*/\2/p' \
	truth/mfu_2gpu_before.sqlite.json | tr '\n' ' '
echo
netan collectives $export --format json 2>/dev/null |
	awk '$1 == "\"skew_us\":" && $2 + 0 > skew { skew = $2 + 0 }
		$1 == "\"end_spread_us\":" { n++; if ($2 + 0 > ends) ends = $2 + 0 }
		END { print n, skew, ends }'
netan info -v $export
netan collectives --top 3 $export
gzip -c $export | netan info - 2>/dev/null | head -n 1
netan info nsight/healthy_1pct.sqlite
