# What netan.conf set is in the table coverage, as it is in JSON.
export XDG_CONFIG_HOME="$PWD/cfg"
mkdir -p cfg/netan
printf 'capacity = 4x200Gbps/2\n' >cfg/netan/netan.conf
netan synth -q -o s --run r --hosts 2 --devices 1 --steps 2
settings="SELECT name, value FROM coverage WHERE name LIKE 'settings.%'"
netan sql s "$settings" --format csv | sed "s|$PWD/||"
netan export -q s -o s.sqlite
netan sql s.sqlite "$settings" --format csv | sed "s|$PWD/||"
netan sql s --no-config "$settings" --format csv
