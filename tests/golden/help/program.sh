# The list of commands is left out: it grows.
netan --help | sed '/^Commands:/,/^$/d'
netan --help | cksum >a
netan help | cksum | cmp - a
netan -h | cksum | cmp - a
