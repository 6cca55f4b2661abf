# What the compiler and the linker have against mistakes is in the program; a
# sanitizer has its own.
program=$(command -v netan)
[ -z "$NETAN_SAN" ] || { echo "skip: sanitizers have their own"; exit 77; }
readelf -hd "$program" | grep -o '\<DYN\>\|BIND_NOW'
readelf -lW "$program" | awk '$1 == "GNU_STACK" { print $1, $(NF - 1) } $1 == "GNU_RELRO" { print $1 }'
readelf -sW --dyn-syms "$program" | grep -o '__stack_chk_fail\|__snprintf_chk' | sort -u
