# What is refused for captures, and what they alone know.
netan synth -o a.pcap --condition lost
echo "$?"
netan synth -o a.pcap --hosts 1
echo "$?"
netan synth -o a.pcap --connections 0 --rpcs 0 --roce 0
echo "$?"
netan synth -o a.pcap --fault tail:0:0.1
echo "$?"
netan synth -o a.pcap --snaplen 20
echo "$?"
netan synth -o a.pcap --loss 0.5
echo "$?"
netan synth -o out --snaplen 96
echo "$?"
netan synth -o missing/a.pcap
echo "$?"
netan synth -o a.pcap.gz
echo "$?"
ls
