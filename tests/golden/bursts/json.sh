cd "$NETAN_ROOT" || exit
netan bursts tests/data/message.xplane.pb --by collective --from 15ms \
	--to 29.2ms --format json |
	awk '/_(mean|min|max)": \[|"time_s": \[/ { skip = 1; print "ARRAY" }
	!skip { print } /\]/ { skip = 0 }'
