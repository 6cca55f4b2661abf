# The title says what takes how much longer than what, and accuses nobody.
title()
{
	netan steps "$@" -q -o x.svg
	sed -n 's/.*<title[^>]*>\([^<]*\)<.*/\1/p' x.svg
}
netan synth -q --hosts 8 --steps 12 --fault slow-sender:host-3:4 -o slow
title slow
netan synth -q --hosts 8 --steps 12 --fault slow-path:3:5:3 -o path
title path
netan synth -q --hosts 4 --steps 12 --fault slow-compute:2:1.2 -o compute
title compute
