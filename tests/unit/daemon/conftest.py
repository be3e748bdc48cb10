from tests.integration.contract.loop import pytest_pyfunc_call

__all__ = ["pytest_pyfunc_call"]
