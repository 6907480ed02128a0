import unittest

from bus import EventBus


class BusTest(unittest.TestCase):
    def test_two_handlers(self) -> None:
        bus, seen = EventBus(), []
        bus.subscribe("a", seen.append)
        bus.subscribe("a", seen.append)
        self.assertEqual(bus.publish("a", 1), 2)
        self.assertEqual(seen, [1, 1])
