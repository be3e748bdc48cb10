"""How a call of the API reaches the daemon."""

from starlette.requests import HTTPConnection

from hark.daemon.service import Service
from hark.model.session import Session


def service_of(connection: HTTPConnection) -> Service:
    """Return the daemon's service, which answers this request."""
    service: Service = connection.app.state.hark
    return service


def session_of(connection: HTTPConnection) -> Session:
    """Return the session that the path of a call names."""
    return service_of(connection).sessions.find(connection.path_params["session"])
