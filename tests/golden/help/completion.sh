# Three ways to the same text.
netan completion --help
netan help completion | cksum
netan completion -h | cksum
