# All who wait are counted: for the culprit, and behind those in operations that
# all have called.
netan synth -q --profile pytorch -o j --hosts 4 --devices 4 --steps 8 --seed 4 \
	--fault stuck-device:r11
netan hang -q j/recorder | sed -n '/^Stuck/,/^$/p; /^waits/p'
netan check -q j/recorder | sed -n '/^Evidence/,/^Confidence/p'
netan hang -q --format json j/recorder | grep -c "\"r15\""
