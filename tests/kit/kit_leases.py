"""A kit that is switched on for some time: the commands know how long, and it ends by itself."""

import json
import os
import time

from support import AGENT, Running, ShopTest

WAITS = """
    public class Waits {
        static int twice(int x) { return 2 * x; }
        public static void main(String[] a) throws Exception {
            System.out.println("ready");
            for (int c; (c = System.in.read()) > 0;) if (c == '\\n') System.out.println(twice(21));
        }
    }
    """
SECONDS = 10 ** 9


class LeasesTest(ShopTest):
    def setUp(self):
        super().setUp()
        self.app = self.build("waits", Waits=WAITS)
        self.slow = self.kit(self.advice(1))

    def advice(self, n):
        return '@Advice("Waits.twice(int)") final class Slow { static int returned(@Result int r) { return r + %d; } }' % n

    def start(self, *options):
        java = Running(self, *options, "-cp", self.app, "Waits")
        self.assertEqual(java.line(), "ready")
        return java

    def left(self, java):
        """In seconds, as two commands have it."""
        kit, = json.loads(self.tool("kits", str(java.pid), "--json").stdout)["kits"]
        status, = json.loads(self.tool("status", str(java.pid), "--json").stdout)["enabled"]
        self.assertEqual("ends_in_ns" in kit, "ends_in_ns" in status)
        if "ends_in_ns" not in kit:
            return None
        self.assertLessEqual(status["ends_in_ns"], kit["ends_in_ns"])
        return kit["ends_in_ns"] // SECONDS

    def wait_for_the_end(self, java):
        until = time.monotonic() + 60
        while java.ask() != "42":
            self.assertLess(time.monotonic(), until, "the kit does not end")
            time.sleep(0.1)
        self.assertEqual(self.tool("kits", str(java.pid)).stdout, f"instr: process {java.pid}: no kit is on\n")

    def test_a_lease_is_shown_lengthened_and_ends(self):
        with self.start() as java:
            pid = str(java.pid)
            self.tool("attach", pid, f"kit={self.slow},kit.for=10m", "max-overhead=off")
            self.assertEqual(java.ask(), "43")
            self.assertIn(self.left(java), range(500, 601))
            for command in ("kits", "status"):
                self.assertRegex(self.tool(command, pid).stdout, r"kit\b.* by \S+.*, ends in \d")
            self.tool("set", pid, "kit.for=1h")
            self.assertIn(self.left(java), range(3500, 3601))
            self.kit(self.advice(2))
            self.tool("kit", "reload", pid)
            self.assertEqual(java.ask(), "44")
            self.assertIn(self.left(java), range(3400, 3601))
            self.tool("set", pid, "kit.for=200ms")
            self.wait_for_the_end(java)

    def test_without_one_it_stays(self):
        with self.start() as java:
            self.tool("attach", str(java.pid), "kit=" + self.slow, "max-overhead=off")
            self.assertIsNone(self.left(java))
            self.assertNotIn("ends in", self.tool("kits", str(java.pid)).stdout)
            self.tool("set", str(java.pid), "kit.for=200ms")
            self.wait_for_the_end(java)

    def test_reverting_ends_the_lease(self):
        with self.start() as java:
            for n in (1, 2):
                self.tool("attach", str(java.pid), f"kit={self.slow},kit.for=10m", "max-overhead=off")
                self.assertEqual(java.ask(), "43")
                self.assertIn(self.left(java), range(500, 601))
                self.tool(*(("revert", str(java.pid)) if n == 1 else ("kit", "drop", str(java.pid), "kit")))
                self.assertEqual(java.ask(), "42")
            self.tool("attach", str(java.pid), f"kit={self.slow}", "max-overhead=off")
            self.assertIsNone(self.left(java))

    def test_at_the_start_and_for_all_passes(self):
        with self.start(f"-agentpath:{AGENT}=kit={self.slow},name=slow,slow.for=10m,quiet=yes") as java:
            java.wait_for_agent()
            self.assertIn(self.left(java), range(500, 601))
            self.tool("set", str(java.pid), "for=300ms")
            self.wait_for_the_end(java)

    def test_paths_are_those_of_the_command(self):
        """The JVM is in another folder."""
        with self.start() as java:
            os.makedirs(self.path("elsewhere"))
            os.rename(self.slow, self.path("elsewhere", "kit.jar"))
            self.run_any("sh", "-c", 'cd elsewhere && exec "$0" attach "$1" kit=kit.jar max-overhead=off', os.path.join(os.environ["KIT_BUILD"], "instr/instr"), str(java.pid))
            self.assertEqual(java.ask(), "43")
