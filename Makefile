# netan: build, test, measure.  `make help` lists the targets.

CC ?= gcc
AR ?= ar
CFLAGS ?= -O2 -g
LDFLAGS ?=
PREFIX ?= /usr/local
SAN ?=
O ?= build
VERSION := 0.1.0

comma := ,
PKGS := cairo libprotobuf-c gsl zlib libzstd libisal
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS := $(shell pkg-config --libs $(PKGS) 2>/dev/null)

variant := $(notdir $(firstword $(CC)))$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(VARIANT)
B := $(O)/$(variant)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings \
	-Wformat=2 -Wundef -Wvla -Werror
BASE := -std=c11 -D_GNU_SOURCE -DNETAN_VERSION='"$(VERSION)"' -I. -I$(B)/gen \
	-pthread $(PKG_CFLAGS)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all)
COMPILE = $(CC) $(BASE) $(WARN) $(CPPFLAGS) $(CFLAGS) $(SANFLAGS) -MMD -MP
LINK = $(CC) $(CFLAGS) $(SANFLAGS) -pthread $(LDFLAGS)
LIBS := $(PKG_LIBS) -lm

PROTOS := $(wildcard ingest/proto/*.proto)
GEN := $(PROTOS:ingest/proto/%.proto=$(B)/gen/%.pb-c.c)
SRC := $(filter-out netan/cli/main.c,$(wildcard netan/*/*.c ingest/*.c plot/*.c))
OBJ := $(SRC:%.c=$(B)/%.o) $(GEN:.c=.o)
LIB := $(B)/libnetan.a

.PHONY: all
all: $(O)/netan ## build the program at build/netan

$(O)/netan: $(B)/netan
	@ln -f $< $@ 2>/dev/null || cp $< $@

$(B)/netan: $(B)/netan/cli/main.o $(LIB)
	$(LINK) -o $@ $^ $(LIBS)

$(LIB): $(OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/%.o: %.c $(GEN)
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(B)/gen/%.o: $(B)/gen/%.c
	$(CC) $(BASE) $(CFLAGS) $(SANFLAGS) -MMD -MP -w -c -o $@ $<

$(B)/gen/%.pb-c.c: ingest/proto/%.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(B)/gen -Iingest/proto $<

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(LIB)
	$(LINK) -o $@ $^ $(LIBS) -lcmocka

.SECONDARY:
-include $(wildcard $(B)/*.d $(B)/*/*.d $(B)/*/*/*.d $(B)/*/*/*/*.d)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(O)
