# Jobs in which one rank calls collectives in another order, of another size, one
# too many or too few: it is named, or nobody is where no majority tells.
# Who it is is not from netan (tests/accuracy/gpu/job.py).
if ! command -v python3 >/dev/null; then
	echo "skip: python3 is not here"
	exit 77
fi
export PYTHONDONTWRITEBYTECODE=1
python3 "$NETAN_ROOT/tests/accuracy/gpu/orders.py" "$(command -v netan)" -n 12
