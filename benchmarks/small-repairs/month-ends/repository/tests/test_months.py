import unittest
from datetime import date

from calendars.months import add_months


class AddMonthsTest(unittest.TestCase):
    def test_within_a_year(self) -> None:
        self.assertEqual(add_months(date(2023, 3, 5), 4), date(2023, 7, 5))
