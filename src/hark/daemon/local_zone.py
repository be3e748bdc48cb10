"""The time zone of this machine, with its changes of the clock, as the operating system knows them."""

import time
from datetime import datetime, timedelta, tzinfo


class LocalZone(tzinfo):
    def utcoffset(self, at: datetime | None) -> timedelta:
        return timedelta(seconds=self._local(at).tm_gmtoff)

    def dst(self, at: datetime | None) -> timedelta:
        return timedelta(hours=1) if self._local(at).tm_isdst > 0 else timedelta(0)

    def tzname(self, at: datetime | None) -> str:
        return self._local(at).tm_zone

    def fromutc(self, at: datetime) -> datetime:
        seconds = (at.replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
        offset = timedelta(seconds=time.localtime(seconds).tm_gmtoff)
        return (at.replace(tzinfo=None) + offset).replace(tzinfo=self)

    def _local(self, at: datetime | None) -> time.struct_time:
        naive = (at or datetime.now()).replace(tzinfo=None)
        return time.localtime(time.mktime((*naive.timetuple()[:8], -1)))
