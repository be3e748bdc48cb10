"""The numbers of the daemon: as JSON for `hark stats`, and in the format of Prometheus if its client library is installed."""

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response as HttpResponse

from hark.api.route import Call
from hark.api.service import service_of
from hark.api.shapes.foundation import Response
from hark.daemon.service import Service
from hark.model.errors import HarkError
from hark.queue.reports.statistics import BUCKETS_S, Statistics


class Delivered(Response, frozen=True, kw_only=True):
    channel: str
    carrier: str
    count: int


class Held(Response, frozen=True, kw_only=True):
    reason: str
    count: int
    seconds: float


class Latency(Response, frozen=True, kw_only=True):
    count: int
    mean_s: float | None
    p50_s: float | None
    """The upper end of the bucket that holds the median."""
    p95_s: float | None


class Stats(Response, frozen=True, kw_only=True):
    """The daemon's numbers since it started, except for `messages` and `sessions`, which count what is there now."""

    sessions: int
    messages: dict[str, int]
    """The number of messages on record, by status."""
    queued: int
    outcomes: dict[str, int]
    deliveries: list[Delivered]
    holds: list[Held]
    latency: Latency
    interrupts: int
    turns: int = 0
    """The number of times that an agent began to work."""
    hooks: dict[str, int]
    """The number of hook calls, by agent and event."""
    signals: dict[str, int]


async def stats(request: Request, _: None) -> Stats:
    return await collect(service_of(request))


async def collect(hark: Service) -> Stats:
    numbers: Statistics = hark.statistics
    latency = numbers.latency
    return Stats(
        sessions=len(hark.sessions.running()),
        messages={str(status): count for status, count in (await hark.record.count_by_status()).items()},
        queued=numbers.queued,
        outcomes=dict(numbers.outcomes),
        deliveries=[Delivered(channel=c, carrier=k, count=n) for (c, k), n in sorted(numbers.deliveries.items())],
        holds=[
            Held(reason=reason, count=count, seconds=numbers.hold_s.get(reason, 0.0))
            for reason, count in sorted(numbers.holds.items())
        ],
        latency=Latency(
            count=latency.count,
            mean_s=latency.sum_s / latency.count if latency.count else None,
            p50_s=latency.quantile(0.5),
            p95_s=latency.quantile(0.95),
        ),
        interrupts=numbers.interrupts,
        turns=numbers.turns,
        hooks={f"{agent} {said}": count for (agent, said), count in sorted(hark.hooks.counts.items())},
        signals=dict(numbers.signals),
    )


async def metrics(request: Request, _: None) -> HttpResponse:
    try:
        from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
    except ModuleNotFoundError as missing:
        raise HarkError(
            "not-available",
            "the library for Prometheus is not installed",
            "pip install 'hark[metrics]'; `hark stats` has the same numbers without it",
        ) from missing
    hark = service_of(request)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(await collect(hark), hark.statistics, hark.hooks.counts))
    return HttpResponse(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _Collector:
    def __init__(self, now: Stats, numbers: Statistics, hooks: dict[tuple[str, str], int]) -> None:
        self._now = now
        self._numbers = numbers
        self._hooks = hooks

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        def counter(name: str, words: str, labels: list[str], values: Mapping[Any, float]) -> Any:
            family = CounterMetricFamily(name, words, labels=labels)
            for key, value in values.items():
                family.add_metric(list(key), value)
            return family

        numbers, now = self._numbers, self._now
        ways = {(one.channel, one.carrier): float(one.count) for one in now.deliveries}
        held = {(one.reason,): one.seconds for one in now.holds}
        yield counter("hark_deliveries", "Messages delivered.", ["channel", "carrier"], ways)
        yield counter("hark_messages", "What became of messages.", ["outcome"], _by_one(now.outcomes))
        yield counter("hark_messages_queued", "Messages taken in.", [], {(): float(now.queued)})
        yield counter("hark_hold_seconds", "How long messages were held.", ["reason"], held)
        yield counter("hark_interrupts", "Turns interrupted for urgent messages.", [], {(): float(numbers.interrupts)})
        yield counter("hark_turns", "Turns of agents that began.", [], {(): float(numbers.turns)})
        hooks = {(agent, said): float(count) for (agent, said), count in self._hooks.items()}
        yield counter("hark_hooks", "Reports of agents' hooks.", ["agent", "said"], hooks)
        yield counter("hark_signals", "Signals of agents.", ["state"], _by_one(now.signals))
        yield _latency(numbers)
        depth = GaugeMetricFamily("hark_queue_depth", "Waiting messages, by status.", labels=["status"])
        for status in ("queued", "held", "staged"):
            depth.add_metric([status], now.messages.get(status, 0))
        yield depth
        yield GaugeMetricFamily("hark_sessions", "Sessions that run.", value=now.sessions)


def _by_one(values: dict[str, int]) -> dict[tuple[str, ...], float]:
    return {(key,): float(value) for key, value in values.items()}


def _latency(numbers: Statistics) -> Any:
    from prometheus_client.core import HistogramMetricFamily

    family = HistogramMetricFamily("hark_delivery_seconds", "From queued to submitted.")
    total, buckets = 0, []
    for limit, count in zip((*map(str, BUCKETS_S), "+Inf"), numbers.latency.counts, strict=True):
        total += count
        buckets.append((limit, float(total)))
    family.add_metric([], buckets=buckets, sum_value=numbers.latency.sum_s)
    return family


CALLS = (
    Call(method="GET", path="/stats", summary="Return the daemon's numbers.", handler=stats, response=Stats),
    Call(
        method="GET",
        path="/metrics",
        summary="Return the daemon's numbers for Prometheus, if its client library is installed.",
        handler=metrics,
        errors=("not-available",),
    ),
)
