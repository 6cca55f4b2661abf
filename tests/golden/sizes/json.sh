cd "$NETAN_ROOT" || exit
netan sizes tests/data/message.xplane.pb --by collective --format json
