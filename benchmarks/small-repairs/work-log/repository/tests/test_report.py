import unittest

from worklog import report


class ReportTest(unittest.TestCase):
    def test_two_lines(self) -> None:
        lines = ["09:00-10:30 garden: planting", "11:00-11:10 garden"]
        self.assertEqual(report(lines), {"minutes": {"garden": 100}, "errors": []})
