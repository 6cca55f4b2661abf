# The window that a finding names, cut out and looked at alone, accuses whom
# the whole session does; and where a window holds too few steps, what to widen
# it to is said, and nothing passes that could not decide.
try()
{
	netan synth -q -o j --run r --hosts 8 --devices 2 --steps 16 --seed 3 --fault "$1"
	window=$(netan check -q --format json j |
		sed -n 's/^ *"window": "\(.*\)",$/\1/p' | sort -u)
	[ "$(echo "$window" | wc -l)" = 1 ] || echo "$1: several windows"
	netan slice -q $window j -o cut/
	accused j >whole
	accused cut/ >part
	accused j $window >same
	cmp whole part && cmp whole same && echo "$1: $(cat part)"
	[ "$(netan steps $window j --format csv -q | wc -l)" -lt 16 ] ||
		echo "$1: all steps"
	rm -r j cut
}
accused()
{
	netan check -q --format json "$@" 2>/dev/null |
		sed -n '/^    "accused"/,/^    \]/ s/^ *"\(cause\|kind\|host\)": "\(.*\)",*$/\2/p' |
		paste -s -d ' '
}
try slow-sender:3:2
try slow-receiver:5:2
try late-input:2:15ms
try slow-compute:6:1.3
echo "== one step of many"
netan synth -q -o j --run r --hosts 8 --devices 2 --steps 16 --seed 3 --fault late-input:2:15ms
netan check j --step 4 | sed -n -e 1p -e '/^passed/{n;p;}' -e '/^bad-endpoint/p' \
	-e '/^straggler/p'
echo "== no step ends in it"
netan check j --from 0.33s --to 0.36s | sed -n -e 1p -e '/^passed/{n;p;}' \
	-e '/^bad-endpoint/p' -e '/^straggler/p'
netan steps j -q --from 0.33s --to 0.36s
netan slice -q j --from 0.33s --to 0.36s -o cut/
netan check cut/ | grep '^straggler'
echo "== what it says holds enough"
netan check j $(netan check j --from 0.33s --to 0.36s |
	sed -n 's/.*widen the window: \(--from [^ ]* --to [^ ]*\) .*/\1/p' | head -1) |
	sed -n 1p
