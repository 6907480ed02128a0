"""The digest of an agent that is written in Python: of the source of its class and of its plain attributes."""

import hashlib
import inspect
import json
from types import CodeType, FunctionType
from typing import Any


def source_digest(agent: object, *, until: type) -> str:
    """The sha256 that names what an object's class does.

    It covers the source of the class and of its bases up to `until` (their compiled code where there is no source, as
    at an interactive prompt), the name of the class, and those attributes of the object that are plain values. Of
    other attributes it covers the type. What other modules do is not covered.

    Args:
        agent: The object.
        until: The base class whose own source is not part of it.
    """
    classes = [kind for kind in type(agent).__mro__ if issubclass(kind, until) and kind is not until]
    parts = {
        "name": type(agent).__qualname__,
        "source": [_source(kind) for kind in classes],
        "attributes": {name: _plain(value) for name, value in sorted(getattr(agent, "__dict__", {}).items())},
    }
    return f"sha256:{hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()}"


def _source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        members = {
            name: _code(value.__code__) if isinstance(value, FunctionType) else _plain(value)
            for name, value in sorted(vars(kind).items())
            if name not in ("__dict__", "__weakref__", "__module__", "__firstlineno__", "__static_attributes__")
        }
        return json.dumps(members, sort_keys=True)


def _code(code: CodeType) -> list[Any]:
    constants = [_code(each) if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return [code.co_code.hex(), constants, list(code.co_names), list(code.co_varnames)]


def _plain(value: object) -> Any:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    return f"{type(value).__module__}.{type(value).__qualname__}"
