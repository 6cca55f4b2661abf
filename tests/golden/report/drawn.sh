# The picture of one connection stands below the finding that names it, and
# the others lead there.
netan synth -q -o job.pcap
netan report job.pcap -q -o p.html || exit 1
awk '/^<article/ { at = 1 }
	/^<h3>/ && at { gsub(/<[^>]*>/, ""); gsub(/&gt;/, ">"); print; at = 0 }
	/class="deciding"/ { print "  shows it: " $0 }
	/What decides it:/ { print "  leads to: " $0 }' p.html |
	sed 's/<div.*id="\([^"]*\)".*/\1/; s/<p.*href="#\([^"]*\)".*/\1/' |
	grep -B1 -E '(tcp|rdma)$'
grep -o 'Receiver too slow: receive window of [0-9.:]* closed' p.html | sort -u
