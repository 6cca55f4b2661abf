# The other shells' scripts know the same options; checked where installed.
netan completion zsh >z
netan completion fish >f
sed -n '1p;$p' z
grep -q "'--format=\[" z && echo found
grep "_seen_subcommand_from timeline' -l format" f | cut -c 1-100
if command -v zsh >/dev/null; then zsh -n z; fi
if command -v fish >/dev/null; then fish -n f; fi
netan completion
echo "exit $?"
netan completion tcsh
