"""How a call of the API reaches the daemon."""

from starlette.requests import HTTPConnection

from hark.daemon.service import Service


def service_of(connection: HTTPConnection) -> Service:
    """Return the daemon's service, which answers this request."""
    service: Service = connection.app.state.hark
    return service
