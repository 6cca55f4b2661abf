# A clock that is off is said, and what it makes of rx is called no limit; of
# ranks nothing tells what passes the NICs.
netan synth -q --hosts 4 --steps 10 --fault clock:host-2:50ms -o clk
netan timeline clk | grep -e '^Receive' -e clock -e stays
netan timeline clk --format json | grep -e plateau
netan timeline clk -q -o clk.svg && grep -c 'the clock of host-2 is ahead' clk.svg
netan synth -q --profile pytorch --hosts 2 --devices 2 --steps 6 -o pt
netan timeline --capacity 100Gbps pt | grep -e '^Receive' -e capacity
