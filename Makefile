# netan: build, test, measure.  `make help` lists the targets.
#
# Objects live under build/<variant>/, one folder for each compiler and set
# of sanitizers, so that they never mix.  CC, CFLAGS, LDFLAGS, SAN, PREFIX,
# DESTDIR, JOBS and O (the build folder) are the caller's.

ifeq ($(origin CC),default)
CC := gcc
endif
PKG_CONFIG ?= pkg-config
SAN ?=
CFLAGS ?= $(if $(SAN),-O1 -g1,-O3 -g)
LDFLAGS ?=
PREFIX ?= /usr/local
DESTDIR ?=
O ?= build
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= 50000
BENCH_RUNS ?= 5
VERSION := 0.1.0

comma := ,
PKGS := cairo fontconfig libprotobuf-c gsl zlib libzstd libisal libpcap libnghttp2 nettle sqlite3
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null)

variant = $(notdir $(firstword $(1)))$(if $(2),-$(subst $(comma),-,$(2)))
B := $(O)/$(call variant,$(CC),$(SAN))$(VARIANT)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
	-Wformat=2 -Wundef -Wvla -Wno-missing-field-initializers
# WERROR=yes: a warning is an error.  The checks set it, a developer may have it
# in the environment; a user's newer compiler may warn of more than ours did.
# It makes no other objects, so that $(B)/flags does not know it.
WERROR ?=
BASE := -std=c11 -D_GNU_SOURCE -DNETAN_VERSION='"$(VERSION)"' -I. -I$(B)/gen \
	-pthread $(PKG_CFLAGS)
# The sandbox: not where a sanitizer or a coverage build has files of its own.
SANDBOX ?= $(if $(SAN),no,yes)
SECCOMP := $(if $(filter no,$(SANDBOX)),,$(shell $(PKG_CONFIG) --exists libseccomp 2>/dev/null && echo yes))
BASE += $(if $(filter no,$(SANDBOX)),,-DNETAN_SANDBOX) \
	$(if $(SECCOMP),-DNETAN_SECCOMP)
# The fuzzer gets no operands of comparisons: that was a third of the time, and
# in the same time it came no further with them.
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all -fPIC$(if $(findstring fuzzer,$(SAN)), -fno-sanitize-coverage=trace-cmp))
# What the compiler has against its and our mistakes; sanitizers have their own,
# and the fortified library needs an optimizer.
has = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo '$(1)')
HARDEN := $(if $(SAN),,$(call has,-fstack-protector-strong) \
	$(call has,-fstack-clash-protection) $(call has,-fcf-protection) -fPIE)
FORTIFY = $(if $(SAN),,$(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
HARDEN_LINK := $(if $(SAN),,-pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
# The same bytes wherever sources and objects lie (make check-reproducible).
BASE += '-ffile-prefix-map=$(CURDIR)=.' '-ffile-prefix-map=$(O)/=build/'
COMPILE = $(CC) $(BASE) $(WARN) $(HARDEN) $(FORTIFY) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) -MMD -MP
# The fuzzer brings a main, which is for its own programs.
LINK = $(CC) $(CFLAGS) $(subst =fuzzer,=fuzzer-no-link,$(SANFLAGS)) $(HARDEN_LINK) $(FIND_LIB) -pthread $(LDFLAGS)
# What a program takes is within its budget: netan/base/memory/heap.c.
# Hundreds of programs that are run once: the linker that takes a third of the
# time, where it is there.
# (It warns of hundreds of the sanitizers' own symbols.)
QUICK := $(if $(shell command -v ld.gold),-fuse-ld=gold)
TEST_LINK = $(Q)$(LINK) $(QUICK) $(1) 2>$@.said || { cat $@.said >&2; exit 1; }; rm -f $@.said
WRAP := $(foreach f,malloc calloc realloc free,-Wl,--wrap=$(f))
LIBS := $(PKG_LIBS) -lm -ldl

PROTOS := $(sort $(wildcard ingest/proto/*.proto))
GEN := $(PROTOS:ingest/proto/%.proto=$(B)/gen/%.pb-c.c)
# A room may lie in a room.
PRODUCT := $(sort $(shell find netan ingest plot -name '[a-z]*.[ch]'))
# What one binary has to itself.
OWN := netan/cli/main.c netan/cli/main_mpi.c netan/world/world_mpi.c
SRC := $(filter-out $(OWN),$(filter %.c,$(PRODUCT)))
# Analyses that look at no transfers.  Their tables come last: definitions of a
# schema are in the order of the tables.
NO_TRANSFERS := $(addprefix netan/analyses/,hang hlo sysctl xla_metrics)
MEMBERS := $(sort $(shell find netan -name members.def))
MEMBERS := $(filter-out $(NO_TRANSFERS:=/%),$(MEMBERS)) $(filter $(NO_TRANSFERS:=/%),$(MEMBERS))
SENTENCES := $(SRC) $(sort $(shell find netan ingest plot -name '*.def' ! -name facts.def))
PAGE := netan/report/page.css netan/report/page.js
OBJ := $(SRC:%.c=$(B)/%.o) $(GEN:.c=.o) $(B)/gen/members.o $(B)/gen/page.o
# Sanitized programs share a library: of hundreds each would be 36 MB.
LIB := $(B)/libnetan.$(if $(SAN),so,a)
FIND_LIB := $(if $(SAN),-Wl$(comma)-rpath$(comma)$(abspath $(B)))

# tests/unit/test_NAME.c is a program; the other files there are linked into
# each.  tests/fuzz/fuzz_NAME.c is one reader's target: fuzz_NAME where there is
# a fuzzer, and replay_NAME, which needs none.
UNIT_SRC := $(wildcard tests/unit/test_*.c)
UNIT := $(UNIT_SRC:%.c=$(B)/%)
ALONE := $(patsubst %.c,$(B)/%,$(shell grep -l '^ \* Not sanitized: ' $(UNIT_SRC)))
HEAVY := $(ALONE) $(patsubst %.c,$(B)/%,$(shell grep -l 'unit/\(pace\|ink\)\.h"' $(UNIT_SRC)))
UNIT_HELP := $(patsubst %.c,$(B)/%.o,$(filter-out $(UNIT_SRC),$(wildcard tests/unit/*.c)) tests/fuzz/options.c)
FUZZ := $(patsubst %.c,$(B)/%,$(wildcard tests/fuzz/fuzz_*.c))
REPLAY := $(patsubst tests/fuzz/fuzz_%.c,$(B)/tests/fuzz/replay_%,$(wildcard tests/fuzz/fuzz_*.c))
BENCH := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/*.c))
# Ranks that do nothing else, to try the world of MPI.
RANKS := $(B)/tests/mpi/ranks
# Memory that is refused: who runs netan, and what is preloaded.
FAULTS := $(addprefix $(B)/tests/faults/,faults refuse.so)
# What prints the pages of docs/commands.
PAGES := $(B)/tools/pages
OUR_C = $(PRODUCT) $(sort $(shell find tests -name '[a-z]*.[ch]')) tools/pages.c tools/calls.c

# V=1 shows whole commands.
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' '$(1)' '$(2)')

# In a recipe: -jN, unless the caller's make already shares out its jobs.
PAR = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
SUB = +@$(MAKE) --no-print-directory $(PAR)
RUN = @JOBS=$(JOBS) FUZZ_RUNS=$(FUZZ_RUNS) bash tests/run.sh

# netan on many machines, where there is an MPI to build it with.
MPICC ?= mpicc
MPI := $(shell command -v $(MPICC) 2>/dev/null)

.PHONY: all
all: $(O)/netan $(if $(MPI),$(O)/netan-mpi,no-mpi) $(if $(SECCOMP)$(filter no,$(SANDBOX)),,no-seccomp) ## build the programs at build/netan and, with MPI, build/netan-mpi (the default)

.PHONY: no-mpi
no-mpi:
	@echo "  no netan-mpi: there is no mpicc (packages libopenmpi-dev, openmpi-bin)"

.PHONY: no-seccomp
no-seccomp:
	@echo "  a sandbox without seccomp: there is no libseccomp (package libseccomp-dev)"

$(addprefix $(O)/,netan netan-mpi): $(O)/%: $(B)/bin/% FORCE
	@cmp -s $< $@ || { ln -f $< $@ 2>/dev/null || cp -f $< $@; }

$(B)/bin/netan: $(B)/netan/cli/main.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(WRAP) -o $@ $^ $(LIBS)

# MPI's own compiler knows where MPI is; ours is the one that compiles.
MPI_AS := OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MPICC)
$(B)/netan/world/world_mpi.o $(B)/bin/netan-mpi $(RANKS): private override CC = $(MPI_AS)

$(RANKS): $(RANKS).o $(B)/netan/world/world_mpi.o $(LIB)
$(B)/bin/netan-mpi: $(B)/netan/cli/main_mpi.o $(B)/netan/world/world_mpi.o $(LIB)
$(RANKS) $(B)/bin/netan-mpi:
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(WRAP) -o $@ $^ $(LIBS)

$(B)/libnetan.so: $(OBJ)
	$(call say,LINK,$@)
	$(call TEST_LINK,-shared -Wl$(comma)-Bsymbolic -Wl$(comma)-soname$(comma)$(@F) $(WRAP) -o $@ $^ $(LIBS))

# `q` appends: `r` would take two rooms' files of one name for one.
$(B)/libnetan.a: $(OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar qcsD $@ $^

# Rewritten when the command changes, so that other flags mean other objects.
$(B)/flags: FORCE | have
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(COMPILE) $(LINK) $(WRAP) $(LIBS))' | \
		cmp -s - $@ || printf '%s\n' \
		'$(subst ','\'',$(COMPILE) $(LINK) $(WRAP) $(LIBS))' >$@

$(B)/%.o: %.c $(B)/flags | $(GEN) $(B)/gen/members.h $(B)/gen/facts.h
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(COMPILE) $(if $(WERROR),-Werror) -c -o $@ $<

# A stack of 128 KiB is enough: no function of the program takes much of it.
# Sanitizers put room between what they watch.
$(PRODUCT:%.c=$(B)/%.o): private WARN += $(if $(SAN),,-Wframe-larger-than=16384)

# Sanitized, compiling takes as long as testing, with an optimizer four times as
# long as without.  The tests spend their time where bytes are read and sorted;
# the rest needs none, and the fuzzer counts where its targets go.
COLD := plot tests $(addprefix netan/,analyses checks cli engine exports methods report result synth world)
UNCOUNTED := plot tests/unit tests/accuracy $(addprefix netan/,analyses checks exports methods report stats synth world)
objects_of = $(patsubst %.c,$(B)/%.o,$(filter $(1:=/%),$(OUR_C)))
# Some there are called most.
HOT := $(patsubst %,$(B)/netan/%.o,result/read synth/rng)
$(filter-out $(HOT),$(call objects_of,$(COLD))): private CFLAGS := $(if $(SAN),$(CFLAGS:-O1=-O0),$(CFLAGS))
# Nor do tests need what makes netan fast.
$(call objects_of,$(addprefix tests/,faults fuzz unit)): private CFLAGS := $(if $(SAN),$(CFLAGS:-O1=-O0),$(CFLAGS:-O3=-O1))
$(filter-out $(call objects_of,$(NO_TRANSFERS)),$(call objects_of,$(UNCOUNTED))): private SANFLAGS := $(subst fuzzer$(comma),,$(SANFLAGS))
# Helpers are the fuzzer's, and none of what it tries.
HELPERS := mutate_proto mutate_pcap sqlite_heap
$(HELPERS:%=$(B)/tests/fuzz/%.o): private SANFLAGS := $(subst fuzzer$(comma),,$(SANFLAGS))
$(HELPERS:%=$(B)/tests/fuzz/%.o): private CFLAGS := -O2 -g1

$(B)/gen/%.o: $(B)/gen/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) -MMD -MP -w -c -o $@ $<

$(B)/gen/%.pb-c.c: ingest/proto/%.proto | have
	@mkdir -p $(@D)
	$(call say,PROTO,$<)
	$(Q)protoc-c --c_out=$(B)/gen -Iingest/proto $<

# Every member of every result: identifiers and tables.  Rewritten only where
# they change, for much depends on them; the list of tables may change, too.
$(B)/gen/members.h $(B)/gen/members.c: $(B)/gen/members.%: tools/members.awk $(MEMBERS) FORCE
	@mkdir -p $(@D)
	@awk -f tools/members.awk -v make=$* $(MEMBERS) >$@.new || exit 1; \
		if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# Facts and their constructors, from the tables of facts and of phrases.
FACTS := netan/phrases/facts.def netan/phrases/en.def
$(B)/gen/facts.h: tools/facts.awk $(FACTS)
	@mkdir -p $(@D)
	@awk -f tools/facts.awk $(FACTS) >$@.new && mv $@.new $@

# Words of its own sentences, which no --anonymize may take for names.
$(B)/gen/said.h: tools/said.awk $(SENTENCES) FORCE
	@mkdir -p $(@D)
	@awk -f tools/said.awk $(SENTENCES) >$@.new || exit 1; \
		if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/netan/base/pseudonyms.o: $(B)/gen/said.h

# The sandbox's calls of the kernel, as programs for seccomp.
$(B)/tools/calls: tools/calls.c netan/base/sandbox/calls.def netan/base/sandbox/calls.h $(B)/flags
	@mkdir -p $(@D)
	$(call say,CC,$@)
	$(Q)$(CC) $(BASE) $(WARN) $(if $(WERROR),-Werror) $(shell $(PKG_CONFIG) --cflags libseccomp 2>/dev/null) \
		$(CFLAGS) -o $@ $< $(shell $(PKG_CONFIG) --libs libseccomp 2>/dev/null)
$(B)/gen/calls_made.h: $(B)/tools/calls
	@mkdir -p $(@D)
	$(Q)$< >$@.new && mv $@.new $@
$(B)/netan/base/sandbox/calls.o: $(if $(SECCOMP),$(B)/gen/calls_made.h)

# Which state of the sources this is: in the programs, and in nothing else, for
# it is another one after each commit.
$(B)/gen/commit.h: tools/commit.sh FORCE
	@mkdir -p $(@D)
	@sh $< >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(B)/netan/cli/main.o $(B)/netan/cli/main_mpi.o: $(B)/gen/commit.h

# Style and script of the report's page.
$(B)/gen/page.c: tools/texts.awk $(PAGE)
	@mkdir -p $(@D)
	$(call say,TEXT,$@)
	$(Q)awk -f tools/texts.awk $(PAGE) >$@.new && mv $@.new $@

$(UNIT): $(B)/%: $(B)/%.o $(UNIT_HELP) $(LIB)
	$(call say,LINK,$@)
	$(call TEST_LINK,$(WRAP) -o $@ $(filter-out $(LIB),$^) $(LIB) $(LIBS) -lcmocka)

include tests/accuracy/accuracy.mk

$(PAGES): $(PAGES).o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

# Targets whose format a mutator knows, or with a heap for SQLite.
HELP = $(B)/tests/fuzz/$(1).o
OF = $(foreach n,$(1),$(B)/tests/fuzz/fuzz_$(n) $(B)/tests/fuzz/replay_$(n))
$(call OF,wire hlo_proto slice): $(call HELP,mutate_proto)
$(call OF,capture): $(call HELP,mutate_pcap)
$(call OF,nsight): $(call HELP,sqlite_heap)

$(B)/tests/faults/faults: $(addprefix $(B)/tests/faults/,faults.o left.o)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^

REFUSE_OBJ := $(addprefix $(B)/tests/faults/,refuse.o forked.o)
$(REFUSE_OBJ): private HARDEN := -fPIC
$(B)/tests/faults/refuse.so: $(REFUSE_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -shared -pthread -o $@ $^ -ldl

# Not of the shared library: the fuzzer would look through the counters of all
# of it after each run.
$(FUZZ): $(B)/%: $(B)/%.o $(B)/tests/fuzz/options.o $(B)/libnetan.a
	$(call say,LINK,$@)
	$(call TEST_LINK,-fsanitize=fuzzer -o $@ $^ $(LIBS))

$(REPLAY): $(B)/tests/fuzz/replay_%: $(B)/tests/fuzz/fuzz_%.o $(addprefix $(B)/tests/fuzz/,options.o replay.o) $(LIB)
	$(call say,LINK,$@)
	$(call TEST_LINK,-o $@ $^ $(LIBS))

# The peers share nothing with netan but the generated messages.  They are
# compiled as the bars assume (the yardstick: about 16 million events/s), not
# with what makes netan fast.
$(BENCH:=.o): private CFLAGS := -O2 -g
$(BENCH:=.o): private HARDEN := -fPIE
$(BENCH:=.o): private FORTIFY :=
$(B)/tests/bench/json_peer: private LIBS += -lyajl
$(BENCH): $(B)/%: $(B)/%.o $(GEN:.c=.o)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

.SECONDARY:
.PHONY: FORCE
FORCE:
-include $(shell find $(B) -name '*.d' 2>/dev/null)

DEPS = CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' O='$(O)' sh tools/deps.sh

# Names what is missing before the compiler stumbles over it.
.PHONY: have have-test have-bench
have:
	@$(DEPS) -n build
have-test:
	@$(DEPS) -n test
have-bench:
	@$(DEPS) -n bench
$(UNIT:=.o) $(UNIT_HELP): | have-test
$(BENCH:=.o): | have-bench

.PHONY: deps
deps: ## install (or name) the packages that building and testing need
	@$(DEPS) test
	@$(DEPS) programs
	@$(DEPS) bench

.PHONY: demo
demo: ## install what is missing, build, make an example run and draw it
	@$(DEPS) demo
	$(SUB) all
	@sh tools/demo.sh $(O)/netan $(O)/demo

# ---- tests

check check-unit check-golden fuzz-replay asan check-asan check-clang: \
	export WERROR = yes

ASAN := address,undefined
ASAN_B = $(O)/$(call variant,$(CC),$(ASAN))
FUZZER := fuzzer,address,undefined
FUZZ_B = $(O)/$(call variant,clang,$(FUZZER))
plain = unit:$(1) golden:$(1)
parts = $(plain) replay:$(1)
# What `make check` runs sanitized: of clang's objects with the fuzzer, where it
# has one, for compiling takes as long as testing.
some = unit:$(1) replay:$(1) sample:$(1)

# $(call can,CC,SANITIZERS): does this compiler have them?
can = printf 'int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n);\nint LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n)\n{ return !p || !n; }\n%s\n' \
	'$(if $(findstring fuzzer,$(2)),,int main(void) { return 0; })' | \
	$(1) -fsanitize=$(2) -x c -o $(O)/probe - >/dev/null 2>&1

.PHONY: program unit-programs replay-programs fuzz-programs bench-programs mpi-programs faults-programs golden-programs test-programs
program: $(B)/bin/netan ; @:
unit-programs: $(UNIT) ; @:
replay-programs: $(REPLAY) ; @:
fuzz-programs: $(FUZZ) ; @:
bench-programs: $(BENCH) ; @:
mpi-programs: $(B)/bin/netan-mpi $(RANKS) ; @:
faults-programs: program $(FAULTS) ; @:
golden-programs: program $(PAGES) $(if $(SAN),,$(FAULTS) $(HEAVY)) ; @:
test-programs: golden-programs $(if $(SAN),$(filter-out $(ALONE),$(UNIT)),$(UNIT)) replay-programs ; @:

.PHONY: check
check: ## all tests: unit, golden, cases, replay (also sanitized), layers, registry, a short fuzz run
	@$(DEPS) test
	@mkdir -p $(O)
	$(SUB) checked

# Once more from the top, now that what it is built with is installed.  Nothing
# twice: what the program prints is looked at as it is shipped, its parts and
# some of its commands sanitized.  What only tests ask is installed meanwhile,
# and both builds share the cores, so that none of them waits for a last link.
.PHONY: checked
checked: export WERROR = yes
checked:
	+@$(DEPS) programs & asked=$$!; \
	parts="faults:$(B) $(if $(MPI),mpi:$(B),skip:mpi:not-tested,-no-MPI)"; \
	parts="$$parts layers registry:$(B) cases:$(B) heavy:$(B) golden:$(B)"; \
	plain='golden-programs $(if $(MPI),mpi-programs)' sanitized=; \
	if $(call can,clang,$(FUZZER)); then \
		sanitized='CC=clang SAN=$(FUZZER) test-programs fuzz-programs'; \
		parts="$$parts $(call some,$(FUZZ_B)) fuzz:$(FUZZ_B)"; \
	elif $(call can,$(CC),$(ASAN)); then \
		sanitized='SAN=$(ASAN) test-programs'; \
		parts="$$parts $(call some,$(ASAN_B)) skip:fuzz:clang-with-libFuzzer-is-not-here"; \
	else \
		plain="$$plain test-programs"; \
		parts="$$parts unit:$(B) replay:$(B) skip:sanitized:$(CC)-has-no-sanitizers"; fi; \
	$(MAKE) --no-print-directory $(PAR) $$plain & built=$$!; \
	[ -z "$$sanitized" ] || $(MAKE) --no-print-directory $(PAR) $$sanitized; ok=$$?; \
	wait $$built && [ $$ok = 0 ] || exit 1; \
	wait $$asked; \
	JOBS=$(JOBS) FUZZ_RUNS=$(FUZZ_RUNS) bash tests/run.sh $$parts

.PHONY: check-unit
check-unit: ## the cmocka programs (ONLY=NAME picks)
	$(SUB) unit-programs
	$(RUN) unit:$(B)

.PHONY: check-golden
check-golden: ## the golden command-line cases (ONLY='timeline/*' picks)
	$(SUB) program
	$(RUN) golden:$(B)

.PHONY: check-cases
check-cases: ## what netan check says of known inputs, as facts (ONLY='straggler/*' picks)
	$(SUB) program
	$(RUN) cases:$(B)

.PHONY: check-mpi
check-mpi: ## netan-mpi against netan on 1 to 7 ranks, and ranks that fail
	$(SUB) program mpi-programs
	$(RUN) mpi:$(B)

# Of each allocation; `check` looks at some.
.PHONY: check-faults
check-faults: ## refuse each allocation of timeline, check, report and others (ONLY='check*' picks, FAULTS_RUNS=1000 of all)
	$(SUB) faults-programs
	@ONLY='$(or $(ONLY),*)' JOBS=$(JOBS) bash tests/faults.sh $(B) $(FAULTS_RUNS)

# Of all tests those whose threads talk to each other.
THREADED := $(addprefix $(B)/tests/unit/,test_world test_mpi_records)
.PHONY: check-threads run-threads
check-threads: ## ranks as threads of one process, under the thread sanitizer
	$(SUB) SAN=thread run-threads
run-threads: $(THREADED)
	@for t in $^; do $$t || exit 1; done

.PHONY: golden-update
golden-update: ## rewrite the golden files; read the diff like code
	$(SUB) program
	@JOBS=$(JOBS) bash tests/run.sh -u golden:$(B)

.PHONY: same
same: all ## compare all that is printed with another build: make same OLD=path
	@bash tests/same.sh '$(OLD)' $(O)/netan

.PHONY: fuzz-replay
fuzz-replay: ## feed the kept corpus, and every cut of it, to the readers
	$(SUB) replay-programs
	$(RUN) replay:$(B)

.PHONY: asan check-asan
asan check-asan: ## unit, golden and replay under the address and undefined-behaviour sanitizers
	$(SUB) SAN=$(ASAN) test-programs
	$(RUN) $(call parts,$(ASAN_B))

.PHONY: check-clang
check-clang: ## build everything with clang and run its tests (skipped without clang)
	+@if command -v clang >/dev/null; then \
		$(MAKE) --no-print-directory $(PAR) CC=clang test-programs && \
		JOBS=$(JOBS) bash tests/run.sh $(call parts,$(O)/clang); \
	else echo "skip: check-clang: clang is not installed"; fi

fuzz-%: FORCE ## fuzz one reader for FUZZ_SECONDS (60) with clang; new inputs go to build/fuzz/
	@$(call can,clang,$(FUZZER)) || \
		{ echo "skip: $@: needs clang with libFuzzer (package clang)"; exit 1; }
	$(SUB) CC=clang SAN=$(FUZZER) $(FUZZ_B)/tests/fuzz/fuzz_$*
	@mkdir -p $(O)/fuzz/$* tests/fuzz/corpus/$*
	$(FUZZ_B)/tests/fuzz/fuzz_$* -max_total_time=$(FUZZ_SECONDS) \
		-artifact_prefix=$(O)/fuzz/$*- $(O)/fuzz/$* tests/fuzz/corpus/$*

.PHONY: fuzz-long
fuzz-long: ## fuzz every reader FUZZ_SECONDS (60), keep and reduce what it found, print a table
	@$(call can,clang,$(FUZZER)) || \
		{ echo "skip: $@: needs clang with libFuzzer (package clang)"; exit 1; }
	$(SUB) CC=clang SAN=$(FUZZER) fuzz-programs
	@JOBS=$(JOBS) bash tests/fuzz/long.sh $(FUZZ_B) $(O)/fuzz $(FUZZ_SECONDS)

.PHONY: coverage
coverage: ## share of lines that the unit, golden and replay tests run
	$(SUB) CFLAGS='-O0 -g --coverage' SANDBOX=no VARIANT=-coverage test-programs
	@find $(B)-coverage -name '*.gcda' -delete
	$(RUN) $(call parts,$(B)-coverage) || echo "coverage: of a failing run"
	@bash tools/coverage.sh $(B)-coverage

# Beside `check`, which never needs it: Python packages, namespaces, root.
.PHONY: check-real
check-real: ## run real PyTorch and JAX jobs with planted faults in network namespaces and ask netan (skips without root and Python packages; ONLY='torch-*' picks)
	$(SUB) all $(B)/tests/accuracy/tcp/wire
	@bash tests/real/real.sh $(O)/netan $(B)/tests/accuracy/tcp/wire $(O)/real

.PHONY: bench
bench: ## measure speed and memory against the bars and the peers
	$(SUB) all bench-programs
	@RUNS=$(BENCH_RUNS) bash tests/bench/bench.sh $(O)/netan $(B)/tests/bench $(O)/bench

# ---- style

.PHONY: layers
layers: ## check that includes point one way and no folder is too full
	@bash tools/layers.sh

.PHONY: house
house: ## lines by room, English outside of netan/phrases, comments, shared names, against their limits
	@bash tools/house.sh -v

.PHONY: format
format: ## rewrite the sources as .clang-format says
	clang-format -i $(OUR_C)

.PHONY: format-check
format-check: ## say where the sources differ from .clang-format
	@if command -v clang-format >/dev/null; \
	then clang-format --dry-run -Werror $(OUR_C); \
	else echo "skip: format-check: clang-format is not installed"; fi

# ---- documents

.PHONY: docs
docs: ## rewrite docs/commands from the tables of the help; notes there stay
	$(SUB) $(PAGES)
	@sh tools/docs.sh $(PAGES) docs/commands

include packaging/packaging.mk

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(O)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z%-]*\)[a-z -]*:.*## \(.*\)/\1\t\2/p' Makefile */*.mk */*/*.mk | \
		sort | awk -F '\t' '{ sub("%", "READER", $$1); printf "  %-14s %s\n", $$1, $$2 }'
	@echo "With WERROR=yes, also from the environment, a warning is an error; the checks set it."
