.PHONY: install demo test lint bench agents simulate clean
install: ; @scripts/install
demo: install ; @scripts/demo
test: install ; @scripts/test
lint: install ; @scripts/lint
bench: install ; @scripts/bench
agents: install ; @scripts/agents
simulate: install ; @scripts/simulate
clean: ; @scripts/clean
