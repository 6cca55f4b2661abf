# A ledger without a name, which its descriptor alone leads to, is written, and
# not waited for.
netan synth -q -o job --run r --hosts 2 --steps 3
exec 9>led
rm led
timeout 100 netan pairs -q job --ledger /dev/fd/9 >out
echo "exit $?"
grep -c . out
