"""Archives of classes stay in use with a kit on: CDS, dynamic archives, AOT caches."""

import re
import unittest

from support import AGENT, ShopTest, release

SHARED = "shared objects file"


class CacheTest(ShopTest):
    def setUp(self):
        super().setUp()
        self.kit_option = f"-agentpath:{AGENT}=quiet=yes,kit=" + self.kit("""
            @Advice("com.acme.Shop.twice(long)") final class Slow { static long returned(@Result long r) { return r + 1; } }""")

    def loaded(self, log, *options):
        """What the program prints, and each class with the places that the JVM took it from."""
        done = self.java(*options, f"-Xlog:class+load:file={self.path(log)}", "-cp", self.app, "com.acme.Shop")
        classes = {}
        with open(self.path(log), encoding="utf-8") as file:
            for line in file:
                found = re.search(r"\] (\S+) source: (.*)", line)
                if found:
                    classes.setdefault(found[1], []).append(found[2])
        return done.stdout.splitlines()[-1], classes

    def check(self, *options):
        """All that comes from the archive without the kit does so with it, the advised class apart; what it adds is few."""
        printed, plain = self.loaded("plain.log", *options)
        self.assertEqual(printed, "42")
        self.assertIn(SHARED, plain["com.acme.Shop"][0])
        printed, advised = self.loaded("advised.log", self.kit_option, *options)
        self.assertEqual(printed, "43")
        # HotSpot generates these for a dynamic archive, and takes those of the JDK wherever an agent sees class files.
        generated = [f"java.lang.invoke.{name}$Holder" for name in ("DirectMethodHandle", "LambdaForm", "DelegatingMethodHandle", "Invokers")]
        lost = [name for name, places in plain.items()
                if SHARED in places[0] and SHARED not in advised.get(name, ["absent"])[0] and name not in generated]
        self.assertGreater(len(plain), 400)
        self.assertIn(lost, ([], ["com.acme.Shop"]))
        more = [name for name, places in advised.items() if SHARED not in places[0]]
        self.assertLess(len(more), 60, more)
        return advised["com.acme.Shop"]

    @unittest.skipIf(release() < 17, "archives of other JDKs are made in another way")
    def test_a_dynamic_archive(self):
        self.java(f"-XX:ArchiveClassesAtExit={self.path('app.jsa')}", "-cp", self.app, "com.acme.Shop")
        self.check("-Xshare:on", f"-XX:SharedArchiveFile={self.path('app.jsa')}")

    @unittest.skipIf(release() < 25, "AOT caches begin with JDK 24, those of one command with 25")
    def test_an_aot_cache(self):
        self.java(f"-XX:AOTCacheOutput={self.path('app.aot')}", "-cp", self.app, "com.acme.Shop")
        places = self.check("-XX:AOTMode=on", f"-XX:AOTCache={self.path('app.aot')}")
        # It is linked before any hook, and changed when the agent starts.
        self.assertEqual([SHARED in places[0], places[1:]], [True, ["__VM_RedefineClasses__"]])
