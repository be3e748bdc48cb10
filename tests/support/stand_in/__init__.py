"""The stand-in: the test double of a model service, on loopback, that real agents talk to in tests."""

from tests.support.stand_in.record import Received
from tests.support.stand_in.stand_in import StandIn

__all__ = ["Received", "StandIn"]
