package java.lang;

/**
 * A page of counters that one thread at a time owns: see InstrThreads.OWNED. Others use the pages of their own blocks. So the
 * owner adds without an atomic operation, as everybody else, and its counters have a fixed address, which compilers know.
 */
final class InstrOwned {
    /** Where the page is. It never changes, so that compiled code contains it. */
    @jdk.internal.vm.annotation.Stable
    @java.lang.invoke.Stable
    long rows;

    /** Thread.tid of the owner, a platform thread. It changes only when the owner has ended. */
    long owner;
}
