"""Tests of single modules: no tmux, no daemon, no agent."""
