: >empty.xplane.pb
netan collectives empty.xplane.pb
echo "exit $?"
