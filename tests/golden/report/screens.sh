# In a browser at two widths, light and dark: nothing is cut without a way to
# scroll, all text is readable, keys alone do, and all has a name.
command -v chromium >/dev/null && command -v python3 >/dev/null ||
	{ echo "skip: chromium and python3 are not both installed"; exit 77; }
[ -z "$NETAN_SAN" ] || { echo "skip: once is enough"; exit 77; }
netan synth -o t --run r --hosts 8 --devices 2 --steps 8 \
	--fault slow-sender:1:4 --fault late-input:5:20ms >/dev/null
netan report t -c 100Gbps -o p.html || exit 1
timeout 600 python3 "$NETAN_ROOT/tests/golden/report/screens.py" p.html profile
[ $? -ne 77 ] || { echo "skip: chromium does not start here"; exit 77; }
