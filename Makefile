# setup prepares this checkout only; install also links hark's commands into ~/.local/bin.
.PHONY: setup install demo test check lint bench agents simulate storm dialogs turns signals crash load fuzz model clean
setup: ; @scripts/install
install: setup ; @scripts/link
demo: setup ; @scripts/demo
test: setup ; @scripts/test
check: setup ; @scripts/check
lint: setup ; @scripts/lint
bench: setup ; @scripts/bench
agents: setup ; @scripts/agents
simulate: setup ; @scripts/simulate
storm: setup ; @scripts/storm
dialogs: setup ; @scripts/dialogs
turns: setup ; @scripts/turns
crash: setup ; @scripts/crash
load: setup ; @scripts/load
signals: setup ; @scripts/signals
fuzz: setup ; @scripts/fuzz-api && scripts/fuzz-signals
model: setup ; @scripts/model
clean: ; @scripts/clean
