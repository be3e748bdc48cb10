"""The tests of hark. `HARK_TEST_TMUX` names another tmux binary, which then is the `tmux` of the tests and of hark in them."""

from tests.support.chosen_tmux import put_first

put_first()
