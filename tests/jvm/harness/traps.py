"""Known bugs of other tools, where they are reported, and the test here that covers each.

`tests/jvm/run --traps` runs the tests named here and no others; those of kind "unit" are in tests/unit.
"""

from dataclasses import dataclass


@dataclass
class Trap:
    what: str
    source: str
    test: str          # a case of table.py, or a program
    kind: str = "jvm"  # or "unit"


TRAPS = [
    Trap("a frame that leaves out parameters of two slots", "jacoco/jacoco#85", "FramesAndLocals"),
    Trap("parameters overwritten by other types", "jacoco/jacoco#767", "FramesAndLocals"),
    Trap("frames without locals though there are some", "ShiftLeftSecurity/bctrace#49", "FramesAndLocals"),
    Trap("frames that spell out trailing Tops", "SpongePowered/Mixin#42", "FramesAndLocals"),
    Trap("more than 255 locals", "C4J-Team/C4J#32, diffblue/cbmc#1795", "FramesAndLocals"),
    Trap("iinc on a local above 255", "bndtools/bnd#527, Col-E/CAFED00D#32", "FramesAndLocals"),
    Trap("wide where it is not needed", "apache/commons-bcel#525",
         "wide_instructions_on_low_locals_keep_their_length", "unit"),
    Trap("arrays of more than seven dimensions", "jacoco/jacoco#839", "FramesAndLocals"),
    Trap("methods that only throw", "raphw/byte-buddy#157", "Exits"),
    Trap("handlers whose frames know less than the code", "raphw/byte-buddy#138, devexperts/aprof#7", "FramesAndLocals"),
    Trap("monitors released within a range that a probe shifts", "jacoco/jacoco#626", "Monitors"),
    Trap("annotations on local variables", "jacoco/jacoco#894", "tables_with_offsets_move_along", "unit"),
    Trap("a method that is too large costs its class", "jacoco/jacoco#31, jacoco/jacoco#1607", "LargeCode"),
    Trap("the same, skipped", "jacoco/jacoco#31", "LargeCodeSkipped"),
    Trap("a class that is too large", "jacoco/jacoco#1653", "LargePools"),
    Trap("jsr and ret", "alibaba/arthas#1304, hcoles/pitest#97", "OldClasses"),
    Trap("jsr in a class with a minor version", "alibaba/arthas#2897", "OldClasses"),
    Trap("frames in classes that have none", "jacoco/jacoco#667", "OldClasses"),
    Trap("CLDC's frames in a class below version 50", "Col-E/CAFED00D#21, objectionary/jeo-maven-plugin#1779",
         "OldClasses"),
    Trap("the same, by bytes", "Col-E/CAFED00D#21", "frames_of_cldc_are_dropped_with_their_offsets", "unit"),
    Trap("version 50 without frames", "jboss-javassist/javassist#340", "OldClasses"),
    Trap("version 50 without frames, from another agent", "jboss-javassist/javassist#340",
         "frames stripped by another agent"),
    Trap("another agent on the same classes", "jacoco/jacoco#1009, google/allocation-instrumenter#35, glowroot/glowroot#446",
         "another agent"),
    Trap("classes retransformed", "raphw/byte-buddy#174", "retransformed and redefined by another agent"),
    Trap("a class retransformed while it is linked", "JDK-8277444, corretto/corretto-21#92",
         "retransformed while linking"),
    Trap("boot classes that are retransformed without their frames", "JDK-8228604", "boot classes without their frames"),
    Trap("exits of constructors by exceptions", "raphw/byte-buddy#375, raphw/byte-buddy#857", "Constructors"),
    Trap("code before super()", "jboss-javassist/javassist#328", "BeforeSuper"),
    Trap("strict fields of value classes", "JDK-8388265, eclipse-openj9/openj9#22921", "ValueConstructors"),
    Trap("exceptions out of callees", "async-profiler 4.5, event trace", "Exceptions"),
]
