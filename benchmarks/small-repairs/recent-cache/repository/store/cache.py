"""A cache."""

from collections.abc import Callable


class RecentCache:
    """Keeps the entries that were used most recently.

    Reading and writing an entry are uses of it; asking with `in` is none.

    Args:
        capacity: How many entries it keeps; 0 keeps none.

    Raises:
        ValueError: The capacity is negative.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._entries: dict[str, object] = {}
        self._hits = 0
        self._misses = 0

    def get(self, key: str, default: object = None) -> object:
        """An entry, also where it is None; the default where there is no such entry. Counts as a hit or a miss."""
        if self._entries.get(key):
            self._hits += 1
            return self._entries[key]
        self._misses += 1
        return default

    def put(self, key: str, value: object) -> None:
        """Write an entry; the one whose last use is longest ago goes where there is no room."""
        if len(self._entries) >= self._capacity:
            del self._entries[next(iter(self._entries))]
        self._entries[key] = value

    def get_or_make(self, key: str, make: Callable[[], object]) -> object:
        """An entry; it is made and written where there is none. Counts once. What fails to be made is not written."""
        return self.get(key) or make()

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def keys(self) -> list[str]:
        """The keys, the one whose last use is longest ago first."""
        return list(self._entries)

    def stats(self) -> tuple[int, int]:
        """Hits and misses since it was made."""
        return self._misses, self._hits
