"""The cases. One line adds one: a main class below cases/, and what is special about running it."""

from dataclasses import dataclass, field


@dataclass
class Case:
    main: str                     # class below cases/, or a/b/C
    name: str = ""                # main, unless two entries share it
    release: int = 17             # javac --release
    jdk: int = 0                  # oldest JDK that runs it; the release, unless given
    status: int = 0               # exit status
    java: list = field(default_factory=list)     # options of the VM
    agent: str = ""               # further agent options
    tag: str = ""                 # of the expectations that count (expect.py)
    sources: list = field(default_factory=list)  # further files with expectations
    kept: bool = False            # the agent may report methods that it kept as they were
    module: str = ""              # run as this module of the module path
    preview: bool = False         # uses preview features, so that compiler and VM must be of exactly this release
    reference: bool = True        # the reference agent can count it

    def __post_init__(self):
        if "/" not in self.main:
            self.sources = [f"cases/{self.main}.java"] + self.sources
            self.main = "cases/" + self.main
        self.name = self.name or self.main.rpartition("/")[2]
        self.jdk = self.jdk or max(self.release, 11)


CASES = [
    Case("Constructors"),
    Case("BeforeSuper"),
    Case("FlexibleConstructors", release=25),
    Case("Exits"),
    Case("Loops"),
    Case("Interfaces"),
    Case("Initialisers"),
    Case("Language"),
    Case("Patterns", release=21),
    Case("Nested"),
    Case("NestedOld", release=8),
    Case("Recursion"),
    Case("StackOverflow", java=["-Xss1m"]),
    Case("Exceptions"),
    Case("Finalizers"),
    Case("Reflection"),
    Case("Handles"),
    Case("Loaders"),
    Case("app/Main", name="NamedModule", module="instr.cases.app", sources=["modapp/instr.cases.app/**/*.java"]),
    Case("Threads"),
    Case("ThreadChurn"),
    Case("ParallelLoading"),
    Case("VirtualThreads", release=21),
    Case("Monitors"),
    Case("UnbalancedLocks"),
    Case("SystemExit", status=3),
    Case("Halt", status=7, reference=False),
    Case("Uncaught", status=1),
    Case("DaemonThreads"),
    Case("Latency"),
    Case("Observed"),
    Case("FramesAndLocals"),
    Case("Instructions"),
    Case("OldClasses", kept=True),
    Case("FarBranches"),
    Case("LargeCode", tag="huge", agent="huge=yes", kept=True),
    Case("LargeCode", name="LargeCodeKept", tag="kept", kept=True, reference=False),
    Case("LargePools", kept=True),
    Case("Limits", kept=True),
    Case("DynamicConstants"),
    Case("OddNames"),
    Case("OutOfMemory", java=["-Xmx24m"]),
    Case("ValueClasses", release=28, preview=True),
    Case("ValueConstructors", release=28, preview=True),
]
