# Everything that a developer types. `make test` works on a fresh machine that
# has only Go and make: it installs what the tests drive when it is missing.

GO ?= go
# The race detector needs a C compiler; without one the tests run without it.
RACE := $(shell [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC)" >/dev/null 2>&1 && echo -race)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Lock libraries of others, played against; a module of its own, so that nobody
# who builds leasetop downloads them.
PEERS := keyspace/peers

.PHONY: build test tools vet check bench screenshots

build:
	$(GO) build -o leasetop .

test: tools
	@[ -n "$(RACE)" ] || echo "make: no C compiler: the tests run without the race detector"
	$(GO) test $(RACE) -timeout 20m $$($(GO) list ./... | grep -v '/judge$$')
	@# The judge holds lines to what could be read in time, so it runs alone.
	$(GO) test -timeout 20m ./watcher/judge
	cd $(PEERS) && $(GO) test -timeout 10m ./...

# redis-server and tmux, which the tests drive.
tools:
	@./.ci/tools

# What must hold besides the tests.
check: vet
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt these:"; echo "$$out"; exit 1; }
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	cd $(PEERS) && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./... && $(GO) mod tidy -diff

vet:
	$(GO) vet ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# The pictures of README, drawn from stories of the screen's own tests.
screenshots:
	@mkdir -p docs/pictures
	$(GO) test ./ui -run TestPictures -count 1 -args -pictures "$(CURDIR)/docs/pictures"
