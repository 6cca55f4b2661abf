# What netan capture refuses, without any privilege.
try()
{
	netan capture "$@" 2>&1
	echo "exit $?"
}
try
try -i lo
try -o x.pcap
try -i lo -o x.pcap --transfers x.netan
try -i lo -o x.pcap --ring 3
try -i lo -o - --file-size 1MB
try -i lo -o x.pcap --anonymize
try -i lo -o x.pcap --snaplen 3
try trace.pcap
ls
