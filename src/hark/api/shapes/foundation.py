"""What all structs of the API stand on, and the structs that belong to no subject."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

PositiveSeconds = Annotated[float, Meta(gt=0, le=366 * 86400)]


class Request(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    pass


class Response(Struct, frozen=True, kw_only=True):
    pass


class Problem(Response, frozen=True, kw_only=True):
    """RFC 9457 problem details, with a stable `code` and a `hint` that says what to do next."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    hint: str


class Nothing(Response, frozen=True, kw_only=True):
    """An empty object."""

    note: str | UnsetType = UNSET
