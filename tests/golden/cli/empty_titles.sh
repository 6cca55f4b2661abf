# The title of a picture with nothing in it says so; one address is one.
title()
{
	netan "$@" -q -o x.svg 2>/dev/null
	sed -n 's/.*<title[^>]*>\([^<]*\)<.*/\1/p' x.svg
}
netan synth -q -o c.pcap --condition healthy --roce 0
netan synth -q --hosts 2 --devices 2 --steps 2 -o t
title rdma c.pcap
title slack c.pcap
title timeline t --dst nobody
