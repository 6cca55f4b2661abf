# Jobs in three dimensions in which one rank stops before an operation that is
# drawn: the rank is named, and that operation, or nothing tells which it is.
# Who is to blame and what for is not from netan (tests/accuracy/gpu/job.py).
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
python3 "$NETAN_ROOT/tests/accuracy/gpu/stops.py" "$(command -v netan)" -n 8 -l
