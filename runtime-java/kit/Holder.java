package instr.kit;

/**
 * An argument that {@code enter} may replace: the advised method gets what is in {@link #value} afterwards.
 * <pre>
 * static void enter(Holder&lt;String&gt; sql) { sql.value = sql.value.trim(); }
 * </pre>
 * Primitive arguments are held boxed; null then leaves the argument as it was.
 */
public final class Holder<T> {
    public T value;

    public Holder(T value) {
        this.value = value;
    }
}
