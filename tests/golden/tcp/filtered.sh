# What a connection is told of the others of its server does not depend on which
# of them are asked for: the command that check names shows what it found.
netan synth -q -o cap.pcap
netan check -q cap.pcap | sed -n '/^info tcp-connection: server/,/^More/p' |
	sed -n '1p;/^More/p'
more=$(netan check -q cap.pcap | sed -n '/^info tcp-connection: server/,/^More/s/^More: netan //p')
netan $more -q | sed -n '1,4p'
netan tcp -q --src '10.1.0.4:52770' cap.pcap | sed -n '1,4p'
