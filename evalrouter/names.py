"""From a name to the one thing that it names: exact, or exact but for letter case, never a near miss."""

import re
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from evalrouter.errors import AmbiguousNameError, InvalidArgumentError, NotFoundError

LONGEST_NAME = 200


@frozen
class Candidate[T]:
    """Something that a name may mean.

    Attributes:
        value: The thing itself.
        id: Its exact ID.
        slug: Its short name.
        name: Its display name.
        version: Its version, where it has versions.
        reference: `provider/slug`, where it has a provider.
        preferred: Whether the bare slug means this one among those that share it.
    """

    value: T
    id: str
    slug: str
    name: str
    version: str | None = None
    reference: str | None = None
    preferred: bool = True

    def describe(self) -> str:
        """What to write to mean this one."""
        exact = self.reference or (f"{self.slug}@{self.version}" if self.version else self.slug)
        return f"{exact} ({self.id})"


def checked_name(name: object, kind: str) -> str:
    """The name without white space around it.

    Args:
        name: What the caller gave.
        kind: `benchmark`, `model`, ..., for the error.

    Raises:
        InvalidArgumentError: It is not a text of 1 to 200 characters.
    """
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise InvalidArgumentError(
            f"{kind}={str(name)[:60]!r} is not a name: pass a slug, a display name or an exact ID."
        )
    return name.strip()


_WHERE = {"quote": "client.quotes.create() makes one", "task": "run.results() and run.events() have them"}


def checked_id(value: object, kind: str) -> str:
    """The exact ID of a run, quote, key or task, without white space around it.

    Args:
        value: What the caller gave.
        kind: `run`, `quote`, `key` or `task`, with which its IDs begin.

    Raises:
        InvalidArgumentError: It is no such ID.
    """
    if not isinstance(value, str) or not re.fullmatch(f"{kind}_[0-9a-z]+", value.strip()):
        where = _WHERE.get(kind, f"client.{kind}s.list() has them")
        raise InvalidArgumentError(
            f"{str(value)[:60]!r} is not the ID of a {kind}, which begins with {kind}_: {where}."
        )
    return value.strip()


def resolve[T](name: str, kind: str, candidates: Iterable[Candidate[T]], suggestions: Sequence[str] = ()) -> T:
    """The one candidate that a name means.

    In order: exact ID, exact slug (the preferred one), `slug@version`, `provider/slug`, slug, `slug@version` and
    `provider/slug` but for letter case, display name but for letter case. The first rule that fits anything decides.

    Args:
        name: The name.
        kind: `benchmark`, `model`, ..., for the errors.
        candidates: What it may mean.
        suggestions: The nearest names, for the error.

    Raises:
        NotFoundError: No rule fits anything.
        AmbiguousNameError: The deciding rule fits several.
    """
    choices = list(candidates)
    folded = name.casefold()
    rules: tuple[Callable[[Candidate[T]], bool], ...] = (
        lambda each: each.id == name,
        lambda each: each.preferred and each.slug == name,
        lambda each: each.version is not None and f"{each.slug}@{each.version}" == name,
        lambda each: each.reference == name,
        lambda each: each.preferred and each.slug.casefold() == folded,
        lambda each: each.version is not None and f"{each.slug}@{each.version}".casefold() == folded,
        lambda each: each.reference is not None and each.reference.casefold() == folded,
        lambda each: each.preferred and each.name.casefold() == folded,
        lambda each: each.name.casefold() == folded,
    )
    for rule in rules:
        fitting = {each.id: each for each in choices if rule(each)}
        if len(fitting) == 1:
            return next(iter(fitting.values())).value
        if fitting:
            listed = [each.describe() for each in sorted(fitting.values(), key=lambda each: each.id)]
            raise AmbiguousNameError(
                f'{kind} "{name}" means several: {", ".join(listed)}. Pass one of these exact names or IDs.', listed
            )
    near = list(dict.fromkeys([*suggestions, *(each.describe().partition(" ")[0] for each in choices)]))
    hint = f" Did you mean {', '.join(near)}?" if near else ""
    raise NotFoundError(
        f'There is no {kind} "{name}".{hint} List what there is with client.{kind}s.list().', suggestions=near
    )
