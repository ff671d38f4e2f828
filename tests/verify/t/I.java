package t;

/** Their superinterface. */
public interface I {
    default void m() {
    }
}
