# Which host runs another program: what was planted, found in the traces and
# in the dumps.
. "$NETAN_ROOT/tests/golden/planted/common"
job other --devices 2 --fault program:host-2 --hlo-dump dumps
sed -n 's/.*"host": "\(host-[0-9]\)".*"reshaped": "\([^"]*\)", "inserted": "\([^"]*\)".*/\1: \2 has another shape, \3 is more/p' other/truth.json
netan hlo other | sed -n 3p
netan hlo dumps | sed -n 3p
netan hlo other --format json | grep -A 3 only_here | tail -n 4
job same --devices 2
netan hlo same | sed -n 3p
