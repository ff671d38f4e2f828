"""What runners of tests count."""

import unittest

from results import Result, last_line


class Sample(unittest.TestCase):
    """Its tests are run by the test below only: the names of others begin with test_."""

    def passes(self):
        with self.subTest(1):
            self.assertTrue(True)

    def fails_three_times(self):
        for i in range(3):
            with self.subTest(i):
                self.assertEqual(i, 3)

    def fails_and_is_skipped(self):
        with self.subTest(1):
            self.assertEqual(1, 2)
        with self.subTest(2):
            self.skipTest("not here")

    def is_skipped(self):
        self.skipTest("not here")


class Results(unittest.TestCase):
    def test_a_test_with_failed_subtests_is_one_that_did_not_pass(self):
        result = Result()
        for name in "passes", "fails_three_times", "fails_and_is_skipped", "is_skipped":
            Sample(name).run(result)
        self.assertEqual(last_line(result.passed, len(result.failures), len(result.skipped)), "1 passed, 4 failed, 2 skipped")
