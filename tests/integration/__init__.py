"""Tests of several parts together: real tmux, a real daemon, the demo agent."""
