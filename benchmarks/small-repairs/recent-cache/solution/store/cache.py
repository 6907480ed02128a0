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
        if capacity < 0:
            raise ValueError("the capacity must not be negative")
        self._capacity = capacity
        self._entries: dict[str, object] = {}
        self._hits = 0
        self._misses = 0

    def get(self, key: str, default: object = None) -> object:
        """An entry, also where it is None; the default where there is no such entry. Counts as a hit or a miss."""
        if key not in self._entries:
            self._misses += 1
            return default
        self._hits += 1
        value = self._entries[key] = self._entries.pop(key)
        return value

    def put(self, key: str, value: object) -> None:
        """Write an entry; the one whose last use is longest ago goes where there is no room."""
        self._entries.pop(key, None)
        self._entries[key] = value
        if len(self._entries) > self._capacity:
            del self._entries[next(iter(self._entries))]

    def get_or_make(self, key: str, make: Callable[[], object]) -> object:
        """An entry; it is made and written where there is none. Counts once. What fails to be made is not written."""
        if key in self._entries:
            return self.get(key)
        self._misses += 1
        value = make()
        self.put(key, value)
        return value

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def keys(self) -> list[str]:
        """The keys, the one whose last use is longest ago first."""
        return list(self._entries)

    def stats(self) -> tuple[int, int]:
        """Hits and misses since it was made."""
        return self._hits, self._misses
