cd "$NETAN_ROOT" || exit
netan info tests/data/message.xplane.pb --format json
