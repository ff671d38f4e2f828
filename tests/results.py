"""What the runners of unittest's tests count, and their last line."""

import unittest


class CountsPassed:
    """Beside a TestResult: `passed` tests. One with failed subtests ran once, but has several failures, so that they cannot be subtracted."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


class Result(CountsPassed, unittest.TestResult):
    pass


def last_line(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")
