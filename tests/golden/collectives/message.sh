# Older messages tell transfers alone: bytes, and neither executions nor times.
cd "$NETAN_ROOT" || exit
netan collectives tests/data/message.xplane.pb
