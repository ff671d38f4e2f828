"""The cases, one in a line: a main class below cases/, and special options to run it."""

from dataclasses import dataclass, field, replace


@dataclass
class Case:
    main: str                     # class below cases/, or a/b/C
    name: str = ""                # main, unless two entries share it
    release: int = 17             # javac --release
    jdk: int = 0                  # oldest JDK that runs it; by default the release
    also: int = 0                 # an older release to compile it for as well, for JDKs from that release on
    status: int = 0               # exit status
    java: list = field(default_factory=list)     # options of the VM
    agent: str = ""               # further agent options
    tag: str = ""                 # of the expectations that apply (expect.py)
    sources: list = field(default_factory=list)  # further files with expectations
    skipped: bool = False         # the agent may report methods that it skipped
    module: str = ""              # run as this module of the module path
    preview: bool = False         # uses preview features: compiler and VM must be of exactly this release
    reference: bool = True        # the reference agent can count it

    def __post_init__(self):
        if "/" not in self.main:
            self.sources = [f"cases/{self.main}.java"] + self.sources
            self.main = "cases/" + self.main
        self.name = self.name or self.main.rpartition("/")[2]
        self.jdk = self.jdk or self.release

    def on(self, version):
        """The case as a JDK of this version runs it."""
        return replace(self, release=self.also, jdk=self.also, also=0) if self.also and version < self.jdk else self


CASES = [
    Case("Constructors", also=8),
    Case("PlainConstructors", also=8),
    Case("BeforeSuper", also=8),
    Case("FlexibleConstructors", release=25),
    Case("Exits", also=8),
    Case("Loops", also=8),
    Case("Interfaces"),
    Case("Initialisers", also=8),
    Case("Language"),
    Case("Patterns", release=21),
    Case("Nested"),
    Case("NestedOld", release=8),
    Case("Recursion", also=8),
    Case("StackOverflow", also=8, java=["-Xss1m"]),
    Case("Exceptions", also=8),
    Case("Finalizers"),
    Case("Reflection"),
    Case("Handles"),
    Case("Loaders"),
    Case("app/Main", name="NamedModule", module="instr.cases.app", sources=["modapp/instr.cases.app/**/*.java"]),
    Case("Threads", also=8),
    Case("ThreadChurn", also=8),
    Case("ParallelLoading", also=8),
    Case("VirtualThreads", release=21),
    Case("Monitors", also=8),
    Case("UnbalancedLocks", also=8),
    Case("Hot", also=8),
    Case("SystemExit", also=8, status=3),
    Case("VirtualExit", release=21, status=4),
    Case("Halt", also=8, status=7, reference=False),
    Case("Uncaught", also=8, status=1),
    Case("DaemonThreads", also=8),
    Case("Latency", also=8),
    Case("Observed"),
    Case("FramesAndLocals", also=8),
    Case("Instructions", also=8),
    Case("OldClasses", skipped=True),
    Case("FarBranches", also=8),
    Case("LargeCode", also=8, tag="huge", agent="huge=yes", skipped=True),
    Case("LargeCode", also=8, name="LargeCodeSkipped", tag="skipped", skipped=True, reference=False),
    Case("LargePools", also=8, skipped=True),
    Case("Limits", also=8, skipped=True),
    Case("DynamicConstants"),
    Case("OddNames"),
    Case("OutOfMemory", also=8, java=["-Xmx24m"]),
    Case("ValueClasses", release=28, preview=True),
    Case("ValueConstructors", release=28, preview=True),
]
