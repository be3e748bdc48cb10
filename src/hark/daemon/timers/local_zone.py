"""The time zone of this machine, with its changes of the clock, as the operating system knows them."""

from datetime import datetime, timedelta, tzinfo


class LocalZone(tzinfo):
    """The local time zone. As in `zoneinfo`, `fold` tells apart the two occurrences of an hour that comes twice."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return self._local(at).utcoffset()

    def dst(self, at: datetime | None) -> None:
        return None

    def tzname(self, at: datetime | None) -> str | None:
        return self._local(at).tzname()

    def fromutc(self, at: datetime) -> datetime:
        seconds = (at.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
        return datetime.fromtimestamp(seconds).replace(tzinfo=self)

    def _local(self, at: datetime | None) -> datetime:
        return (at.replace(tzinfo=None) if at else datetime.now()).astimezone()
