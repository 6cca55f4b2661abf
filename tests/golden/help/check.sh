# Help describes a check as it does a command, and suggests both.
netan help rpc-latency
netan help bad-endpoin
