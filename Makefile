.PHONY: install demo test lint bench agents clean
install: ; @scripts/install
demo: install ; @scripts/demo
test: install ; @scripts/test
lint: install ; @scripts/lint
bench: install ; @scripts/bench
agents: install ; @scripts/agents
clean: ; @scripts/clean
