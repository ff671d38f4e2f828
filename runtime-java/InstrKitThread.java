package java.lang;

/** The id of a thread, for bridges of kits. Applications can override Thread.getId() before JDK 19. */
public final class InstrKitThread {
    private static final long TID = offset();

    private InstrKitThread() {}

    @jdk.internal.vm.annotation.ForceInline
    @java.lang.invoke.ForceInline
    public static long id(Thread thread) {
        return InstrUnsafe.getLong(thread, TID);
    }

    private static long offset() {
        try {
            return InstrUnsafe.offset(Thread.class, "tid");
        } catch (Throwable unknown) {
            throw new InternalError();
        }
    }
}
