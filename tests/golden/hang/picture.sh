# How far each rank came, drawn: of dumps with a planted hang, of both themes;
# what has no picture writes no file, and says what to use.
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 2 --seed 3 \
	--fault stuck-host:5 --evidence recorder -o job
netan hang job/recorder -o hang.svg -o hang.png -o hang.pdf -o hang.json
netan hang job/recorder -q --theme dark -o dark.svg
grep -o '<title>[^<]*' hang.svg
grep -o '<desc>[^<]*' hang.svg
cmp -s hang.svg dark.svg || echo "the dark one differs"
grep -c '"groups_like"' hang.json
echo "== in a report, below its finding"
netan report job/recorder -q -o page.html
grep -c 'id="figure-hang"' page.html
netan report job/recorder -q -o folder/
ls folder
echo "== anonymous"
printf 'rank,host\n5,secret-5\n' >hosts.csv
netan hang job/recorder --hosts hosts.csv --anonymize -o anon.svg
grep -c secret anon.svg
echo "== no picture"
netan timeline job/recorder -o none.svg
echo "status $?"
echo 'all is well' >calm.log
netan hang calm.log -o none.svg
echo "status $?"
ls none.svg 2>/dev/null
netan synth -q --profile pytorch --hosts 2 --devices 4 --steps 2 --seed 3 \
	--evidence recorder -o quiet
netan hang quiet/recorder -o none.png -o quiet.json
echo "status $?"
ls none.png quiet.json 2>/dev/null
true
