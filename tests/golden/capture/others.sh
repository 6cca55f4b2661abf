# The other analyses of a capture.
netan synth -o c.pcap --connections 4 --rpcs 60 --roce 20 --size 400kB >/dev/null
netan latency c.pcap --by component,collective
netan latency c.pcap --component rpc | sed -n 1,4p
netan sizes c.pcap --component rpc | sed -n 1,12p
netan bursts c.pcap | sed -n 1,20p
netan pairs c.pcap
echo '10.1.0.1,alpha
10.1.0.2,beta
10.1.0.3,beta' >hosts.csv
netan pairs c.pcap --hosts hosts.csv --level host | sed -n 1,6p
netan latency c.pcap --hosts hosts.csv --host beta --by host | sed -n 1,7p
