# What docs/stability.md promises: each name of the releases so far is there.
# New ones are no difference, and are frozen with the next release (make freeze).
# Not sanitized: each of these is asked for elsewhere, one by one.
sh "$NETAN_ROOT/tests/names.sh" >now
[ "$(wc -l <now)" -gt 5000 ] || echo "only $(wc -l <now) names"
for release in "$NETAN_ROOT"/tests/frozen/*; do
	comm -23 "$release" now | sed "s|^|gone since ${release##*/}: |"
done
# This version has a section in the changelog, and its names are kept.
version=$(netan --version | sed -n '1s/netan //p')
grep -q "^## $version\( - \|$\)" "$NETAN_ROOT/CHANGELOG.md" || echo "CHANGELOG.md has no $version"
[ -s "$NETAN_ROOT/tests/frozen/$version" ] || echo "$version has no names: make freeze"
# It would see one that went, and one that is called otherwise.
{ cat now; echo 'json check result.planted string'; } | LC_ALL=C sort >planted
sed 's/^\(sqlite transfers latency\)_us$/\1_ns/' now | LC_ALL=C sort | comm -23 planted -
