package instr.kit;

/**
 * Values by instance, as if the instance had one more field.
 * <pre>
 * static final State&lt;String&gt; SQL = new State&lt;&gt;();
 * </pre>
 * Instances are compared by identity and held weakly: a value goes with its instance, provided that it does not lead to
 * it. The number of values is limited; what is put beyond it is dropped and counted. All methods may be called by any
 * number of threads.
 */
public final class State<T> {
    private static final int SHARDS = 16;

    private final Shard[] shards = new Shard[SHARDS];

    /** For 100,000 instances. */
    public State() {
        this(100000);
    }

    /** For about so many instances. */
    public State(int most) {
        for (int i = 0; i < SHARDS; i++)
            shards[i] = new Shard(most / SHARDS + 1);
    }

    /** The value of an instance; null: it has none. */
    public T get(Object instance) {
        return instance == null ? null : value(shard(instance).get(instance));
    }

    /** Gives an instance a value, null to take it away. Returns the value before. */
    public T put(Object instance, T value) {
        return instance == null ? null : value(shard(instance).put(instance, value));
    }

    /** Takes the value away. Returns it. */
    public T remove(Object instance) {
        return put(instance, null);
    }

    /** How many instances have values. */
    public int size() {
        int size = 0;
        for (Shard shard : shards)
            size += shard.size();
        return size;
    }

    /** How many values were dropped because of the limit. */
    public long dropped() {
        long dropped = 0;
        for (Shard shard : shards)
            dropped += shard.dropped();
        return dropped;
    }

    /** How many instances have got values so far, for instr kit test. */
    long added() {
        long added = 0;
        for (Shard shard : shards)
            added += shard.added();
        return added;
    }

    private Shard shard(Object instance) {
        int hash = System.identityHashCode(instance);
        return shards[(hash >>> 8) % SHARDS];
    }

    @SuppressWarnings("unchecked")
    private T value(Object value) {
        return (T) value;
    }
}
