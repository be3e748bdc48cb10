.PHONY: install demo test lint bench agents simulate storm dialogs turns signals crash load fuzz model clean
install: ; @scripts/install
demo: install ; @scripts/demo
test: install ; @scripts/test
lint: install ; @scripts/lint
bench: install ; @scripts/bench
agents: install ; @scripts/agents
simulate: install ; @scripts/simulate
storm: install ; @scripts/storm
dialogs: install ; @scripts/dialogs
turns: install ; @scripts/turns
crash: install ; @scripts/crash
load: install ; @scripts/load
signals: install ; @scripts/signals
fuzz: install ; @scripts/fuzz-api && scripts/fuzz-signals
model: install ; @scripts/model
clean: ; @scripts/clean
