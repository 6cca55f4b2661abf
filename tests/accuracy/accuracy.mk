# Of the Makefile: simulated worlds, and what is found in them.

# The accuracy bench: a program, and what it shares with its unit tests.
ACCURACY := $(B)/tests/accuracy/accuracy
FLEETS_LIB := $(B)/tests/accuracy/libfleets.a
FLEETS_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out %/accuracy.c,$(wildcard tests/accuracy/*.c)))
# A fourth world: captures of real TCP stacks.  Four programs, and the rest.
TCP_WORLD := $(addprefix $(B)/tests/accuracy/tcp/,wire ends views judge)
TCP_WORLD_LIB := $(B)/tests/accuracy/tcp/libcaptures.a
TCP_WORLD_OBJ := $(filter-out $(TCP_WORLD:=.o),$(patsubst %.c,$(B)/%.o,$(wildcard tests/accuracy/tcp/*.c)))
# Its third world asks the program itself.
SYNC := $(B)/tests/accuracy/sync/sync
SYNC_LIB := $(B)/tests/accuracy/sync/libsync.a
SYNC_OBJ := $(patsubst %.c,$(B)/%.o,$(filter-out %/sync.c,$(wildcard tests/accuracy/sync/*.c)))

$(addprefix $(B)/tests/unit/test_,fleets fleet_queue accuracy): $(FLEETS_LIB)
$(addprefix $(B)/tests/unit/test_sync_,answer oracle world): $(SYNC_LIB) $(FLEETS_LIB)
# It also asks the program.
$(B)/tests/unit/test_sync_world: | $(B)/bin/netan

$(ACCURACY): $(ACCURACY).o $(FLEETS_LIB) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

# The model of who is slow, for comparison with another implementation.
$(B)/tests/accuracy/judge/peer: %: %.o $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(WRAP) -o $@ $^ $(LIBS)

$(FLEETS_LIB): $(FLEETS_OBJ)
$(TCP_WORLD_LIB): $(TCP_WORLD_OBJ)
$(SYNC_LIB): $(SYNC_OBJ)

$(FLEETS_LIB) $(TCP_WORLD_LIB) $(SYNC_LIB):
	@rm -f $@
	$(call say,AR,$@)
	$(Q)ar rcsD $@ $^

$(B)/tests/unit/test_captures: $(TCP_WORLD_LIB) $(FLEETS_LIB)

$(TCP_WORLD): $(B)/%: $(B)/%.o $(TCP_WORLD_LIB) $(FLEETS_LIB) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

$(SYNC): $(SYNC).o $(SYNC_LIB) $(FLEETS_LIB) $(LIB)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@ $^ $(LIBS)

FLEETS ?= 500
# Of WORLD=gpu and simgrid, which need python3.
SETS ?= 200
SEED ?= 1
LIST ?=
BARE ?=
KIND ?=
WORLD ?= statistical queueing sync simgrid captures gpu
# Of captures: where they lie; JUDGE_ONLY=1 records none.
CAPTURES ?= $(O)/captures
JUDGE_ONLY ?=
# Its network is SimGrid's, where that is installed.
SIMGRID := $(B)/tests/accuracy/simgrid/engine
HAVE_SIMGRID := $(if $(filter simgrid,$(WORLD)),$(shell $(PKG_CONFIG) --exists simgrid && echo yes))

$(SIMGRID): tests/accuracy/simgrid/engine.cpp
	@mkdir -p $(@D)
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -O2 -Wall -Wextra -Werror -o $@ $< -lsimgrid

.PHONY: bench-accuracy
bench-accuracy: ## measure what is found in simulated worlds (WORLD=statistical, queueing, sync, gpu, simgrid; FLEETS, SEED, LIST=1, BARE=1) and in captures of real TCP (WORLD=captures)
	$(SUB) $(ACCURACY) $(SYNC) $(if $(filter captures,$(WORLD)),$(TCP_WORLD)) $(if $(HAVE_SIMGRID),$(SIMGRID)) all
	@set -e; for world in $(WORLD); do case $$world in \
	sync) $(SYNC) bench $(O)/netan -n $(FLEETS) -s $(SEED) -j $(JOBS) $(if $(KIND),-k $(KIND)) $(if $(BARE),-t) $(if $(LIST),-l) ;; \
	captures) SEED=$(SEED) JUDGE_ONLY=$(JUDGE_ONLY) LIST=$(LIST) JOBS=$(JOBS) bash tests/accuracy/tcp/bench.sh $(O)/netan $(B)/tests/accuracy/tcp $(CAPTURES) ;; \
	simgrid) $(if $(HAVE_SIMGRID),python3 tests/accuracy/simgrid/score.py $(O)/netan -e $(SIMGRID) -n $(SETS) -s $(SEED) -j $(JOBS) $(if $(BARE),--bare) $(if $(LIST),-l),echo 'skipped: world simgrid: SimGrid is not installed (Debian: libsimgrid-dev)') ;; \
	gpu) $(if $(filter stop order,$(KIND)),,python3 tests/accuracy/gpu/bench.py $(O)/netan -n $(SETS) -s $(SEED) -j $(JOBS) $(if $(KIND),-k $(KIND)) $(if $(LIST),-l);) \
		$(if $(filter-out stop,$(KIND)),,python3 tests/accuracy/gpu/stops.py $(O)/netan -n $(SETS) -s $(SEED) $(if $(LIST),-l);) \
		$(if $(filter-out order,$(KIND)),,python3 tests/accuracy/gpu/orders.py $(O)/netan -n $(SETS) -s $(SEED) $(if $(LIST),-l)) ;; \
	*) $(ACCURACY) -k $$world -n $(FLEETS) -s $(SEED) -j $(JOBS) $(if $(LIST),-l) ;; \
	esac; done

# Fewer than bench-accuracy: about five minutes of two processors.
CALIBRATE_FLEETS := $(if $(filter file,$(origin FLEETS)),480,$(FLEETS))

.PHONY: calibrate
calibrate: ## are the odds honest? writes docs/methods.md, fails when not (FLEETS, SEED; FIT=1: also prior odds)
	$(SUB) $(ACCURACY) $(SYNC) all
	@bash tests/accuracy/calibrate.sh $(ACCURACY) $(SYNC) $(O)/netan $(O)/calibrate $(CALIBRATE_FLEETS) $(SEED) $(JOBS) $(FIT)
