"""The timing budget of a key hold: how long a human's keys are held, and how that time is shared out.

A human bears two seconds in which nothing appears. In that time a delivery waits until the agent has drawn the human's last keys, takes a
draft out if one is there, puts its text in, waits for the echo, puts the draft back, and lets the keys go. Each stage has a longest wait.
An agent that is too slow in one stage makes the delivery give up while the keys are still held, with every carrier. If an agent is slow in
several stages, the hold may end first: before the first key that takes a draft, the carrier leaves its undo with whoever holds the keys, who
runs it then.
"""

from hark.model.message import Carrier

HOLD_S = 2.0
"""How many seconds an airlock holds the human's keys."""
HOLD_BY_TMUX_S = 1.8
"""How many seconds tmux holds the human's keys. If the daemon dies, the shell of a tmux timer ends the hold with a few tmux commands,
which makes two seconds in all."""
LETS_GO_WITHIN_S = 0.1
"""How many seconds it takes to let the keys go."""
HELD_FOR_S = HOLD_S - LETS_GO_WITHIN_S
"""How many seconds a delivery has, at the most."""
SLOW_S = 0.6 * HOLD_S
"""An editor is slow if its delivery held the human's keys for more seconds than this."""
ANSWER_HOLD_S = 1.0
"""How many seconds after an answer from elsewhere the human's keys are still held: they were meant for the dialog that has just gone.
Measured: an Enter 0.2 to 0.8 seconds after such an answer approved the next dialog 7 times of 7."""

RESTS_WITHIN_S = 0.6
"""How many seconds to wait for a screen that shows all that the human has typed; if it takes longer, the hold is let go."""
ECHO_WITHIN_S = 1.0
"""How many seconds to wait for the echo of our text. After an echo that never came there must be time left for the way back."""
TAKEN_WITHIN_S = 1.0
"""How many seconds to wait until a draft is out of the box."""
OPENS_WITHIN_S = 1.0
"""How many seconds to wait until the agent has opened our editor."""
BACK_WITHIN_S = 1.0
"""How many seconds to wait until a draft that was put back is in the box."""

STAGES: dict[Carrier, tuple[float, ...]] = {
    Carrier.NONE: (ECHO_WITHIN_S,),
    Carrier.STASH: (TAKEN_WITHIN_S, ECHO_WITHIN_S, BACK_WITHIN_S),
    Carrier.EDITOR: (OPENS_WITHIN_S, ECHO_WITHIN_S, BACK_WITHIN_S),
    Carrier.SENTINEL: (TAKEN_WITHIN_S, ECHO_WITHIN_S, BACK_WITHIN_S),
    Carrier.INTERRUPT: (TAKEN_WITHIN_S, ECHO_WITHIN_S, BACK_WITHIN_S),
}
"""The longest waits of each way into the box. If one of them ends without what it waits for, the carrier goes no further."""


def slowest_s(carrier: Carrier) -> float:
    """Return after how many seconds at the latest a delivery by this carrier gives up and lets the keys go, if the agent is slow in one
    stage and quick in the others."""
    return RESTS_WITHIN_S + max(STAGES[carrier]) + LETS_GO_WITHIN_S
