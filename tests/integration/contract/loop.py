"""Runs `async def` tests on a loop of their own. A `store` argument is open during the test and closed after it."""

import asyncio
import inspect
from typing import Any

import pytest


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in names}

    async def run() -> None:
        store = arguments.get("store")
        if store is None:
            await pyfuncitem.obj(**arguments)
            return
        await store.open()
        try:
            await pyfuncitem.obj(**arguments)
        finally:
            await store.close()

    asyncio.run(run())
    return True
