# Help describes a check as it does a command, and suggests both; of what is a
# command, too, it describes both.
netan help rpc-latency
netan help hang | sed -n '/a check of/,$p'
netan help bad-endpoin
