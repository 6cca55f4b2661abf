# Of the Makefile: what others get of netan.

.PHONY: install
install: all ## install program, man pages, schemas, completions (PREFIX, DESTDIR)
	@sh tools/install.sh $(O)/netan '$(DESTDIR)$(PREFIX)'

.PHONY: uninstall
uninstall: ## remove what install put there
	@sh tools/install.sh -u $(O)/netan '$(DESTDIR)$(PREFIX)'

.PHONY: dist
dist: ## make build/netan-VERSION.tar.gz of what is committed: sources that build without git
	@sh packaging/dist.sh $(VERSION) '$(O)'

.PHONY: deb
deb: dist ## make the Debian packages netan and netan-mpi in build/deb (and ask lintian, where it is)
	@JOBS=$(JOBS) sh packaging/deb.sh $(VERSION) '$(O)'

# Apart from `check`: they build anew, and want root and Debian's servers.
.PHONY: check-deb
check-deb: deb ## install the packages on a fresh Debian 12 below build/deb and run netan there (root, debootstrap)
	@sh packaging/try.sh '$(O)/deb'

.PHONY: check-bare
check-bare: ## make demo and make check on a fresh Debian 12 with nothing but make, in a clone and without .git (root, debootstrap; BARE_ONLY=demo: that alone)
	@sh tests/bare.sh $(VERSION) '$(O)'

.PHONY: check-reproducible
check-reproducible: dist ## build twice, in different folders, and compare the bytes
	@JOBS=$(JOBS) sh packaging/reproducible.sh $(VERSION) '$(O)'

# With a release: what is there then stays (docs/stability.md).
.PHONY: freeze
freeze: program ## keep the names of this version in tests/frozen, where a test finds them
	@dir=$$(mktemp -d) && netan=$(abspath $(B)/bin/netan) && root=$(CURDIR) && \
		(cd "$$dir" && sh "$$root/tests/names.sh" "$$netan" >names) && \
		mv "$$dir/names" tests/frozen/$(VERSION); rm -rf "$$dir"
