# Rows of a handful of transfers may say more than the pairs that are counted:
# the line says of which the factor is.
netan synth -q -o x.pcap --hosts 4 --rpcs 100 --connections 24 --condition loss --seed 3
netan pairs -q x.pcap | sed -n 3,6p | cut -c 1-130
