netan --version
netan -V
