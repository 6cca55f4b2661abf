#!/bin/sh
# Finds what is missing to build, test or demonstrate netan, and installs it
# with apt-get where that is allowed (root, or sudo without a password);
# else names the packages on one line and fails.
#
#	tools/deps.sh [-n] build|test|programs|bench|demo|notebook
#
# -n: never install.  `programs` are those that tests ask; of these, what no
# package installs as it should be goes below the build folder, O.
set -u

O=${O:-build}

PKG_CONFIG=${PKG_CONFIG:-pkg-config}
CC=${CC:-gcc}
cc=${CC%% *}

have() { command -v "$1" >/dev/null 2>&1; }
missing=
want() { missing="$missing $1"; }

need_program() { have "$1" || want "$2"; }
need_module()
{
	if ! have "$PKG_CONFIG" || ! "$PKG_CONFIG" --exists "$1" 2>/dev/null
	then
		want "$2"
	fi
}

need_font()
{
	have fc-list && [ -n "$(fc-list 'DejaVu Sans' 2>/dev/null)" ] && return
	for f in /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf \
		/usr/share/fonts/dejavu*/DejaVuSans.ttf \
		/usr/share/fonts/TTF/DejaVuSans.ttf
	do
		[ -r "$f" ] && return
	done
	want fonts-dejavu-core
}

need_build()
{
	case ${cc##*/} in
	clang*) need_program "$cc" clang ;;
	gcc* | cc) need_program "$cc" gcc ;;
	*) have "$cc" || { echo "there is no compiler $cc (CC)" >&2; exit 1; } ;;
	esac
	if have "$cc" && ! echo '#include <stdio.h>' | $CC -E - >/dev/null 2>&1
	then
		want libc6-dev
	fi
	need_program make make
	need_program "$PKG_CONFIG" pkg-config
	need_program protoc-c protobuf-c-compiler
	need_module cairo libcairo2-dev
	need_module fontconfig libfontconfig-dev
	need_module libprotobuf-c libprotobuf-c-dev
	need_module gsl libgsl-dev
	need_module zlib zlib1g-dev
	need_module libzstd libzstd-dev
	need_module libisal libisal-dev
	need_module libpcap libpcap-dev
	need_module libnghttp2 libnghttp2-dev
	need_module nettle nettle-dev
	need_module sqlite3 libsqlite3-dev
}

find_missing()
{
	missing=
	need_build
	case $1 in
	build) ;;
	programs) missing= ;;
	test) need_module cmocka libcmocka-dev; need_font ;;
	bench) need_module yajl libyajl-dev ;;
	demo) need_font ;;
	notebook) need_font; need_program gnuplot gnuplot-nox ;;
	*) echo "usage: tools/deps.sh [-n] build|test|programs|bench|demo|notebook" >&2; exit 2 ;;
	esac
	missing=${missing# }
}

name_them()
{
	echo "missing packages: $missing; install them with:" \
		"apt-get install $missing" >&2
	exit 1
}

# Without these netan lacks a part that it does without, or tests cannot be
# built as they should be.
wish_parts()
{
	missing=
	probe='int LLVMFuzzerTestOneInput(const char *p, unsigned long n);
int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return !p || !n; }'
	if ! echo "$probe" | clang -fsanitize=fuzzer,address,undefined -x c \
		-o /dev/null - >/dev/null 2>&1
	then
		want clang
		want libclang-rt-14-dev
	fi
	# Leaks of libraries are told by the names of their functions.
	have llvm-symbolizer || need_program llvm-symbolizer-14 llvm-14
	need_module libseccomp libseccomp-dev
	need_program mpicc libopenmpi-dev
	need_program mpirun openmpi-bin
}

has_comma() { locale -a 2>/dev/null | grep -qix 'de_DE\.utf-\?8'; }

# Without these there are tests that cannot run, and say so.
wish_programs()
{
	need_program python3 python3
	need_program tidy tidy
	need_program sqlite3 sqlite3
	need_program zstd zstd
	need_program jq jq
	need_program groff groff-base
	need_program zsh zsh
	[ -r /etc/services ] || want netbase
	need_program chromium chromium
	need_program tshark tshark
	need_program capinfos wireshark-common
	has_comma || [ -r /usr/share/i18n/locales/de_DE ] || want locales
}

# A locale with a decimal comma, which the system does not have.
make_locale()
{
	has_comma || [ -d "$O/locale/de_DE.UTF-8" ] || ! have localedef && return
	mkdir -p "$O/locale" &&
		localedef -i de_DE -f UTF-8 "$O/locale/de_DE.UTF-8" >"$log" 2>&1
}

download() { apt-get -q download "$1" || { apt update && apt-get -q download "$1"; }; }

# The package of promtool starts a server, which nobody asked for: it alone is
# taken from there.
fetch_promtool()
{
	have promtool || [ -x "$O/programs/promtool" ] && return
	if [ "$install" = no ] || ! have dpkg-deb; then
		echo "optional, for what is left out without: promtool (of prometheus)"
		return
	fi
	echo "fetching: promtool, of prometheus"
	mkdir -p "$O/programs" || return
	(
		cd "$O/programs" && download prometheus >"$log" 2>&1 &&
			dpkg-deb --fsys-tarfile prometheus_*.deb |
			tar -x -O ./usr/bin/promtool >promtool.new &&
			chmod +x promtool.new && mv promtool.new promtool
		rm -f prometheus_*.deb promtool.new
	)
}

install=yes asked=install
if [ "${1-}" = -n ]; then
	install=no asked=names
	shift
fi
find_missing "${1-}"
if [ "$(id -u)" = 0 ]; then
	as_root=
elif have sudo && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
else
	install=no
fi
have apt-get || install=no

apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
	-o DPkg::Lock::Timeout=300 "$@"; }
# shellcheck disable=SC2086  # a list of packages
get() { apt install --no-install-recommends $missing; }

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
install_them()
{
	echo "installing: $missing"
	get >"$log" 2>&1 || { apt update && get; } >"$log" 2>&1
}

if [ -n "$missing" ]; then
	if [ "$install" = no ]; then name_them; fi
	if ! install_them; then
		tail -n 5 "$log" >&2
		name_them
	fi
	find_missing "$1"
	[ -z "$missing" ] || name_them
fi
[ "$asked" = install ] || exit 0
missing=
case $1 in
test) wish_parts ;;
programs) wish_programs ;;
esac
missing=${missing# }
if [ -n "$missing" ] && { [ "$install" = no ] || ! install_them; }; then
	echo "optional, for what is left out without: $missing"
fi
if [ "$1" = programs ]; then
	make_locale
	fetch_promtool
fi
exit 0
