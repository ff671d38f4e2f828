package instr.kit;

/**
 * Values by instance, as if the instance had one more field.
 * <pre>
 * static final State&lt;String&gt; SQL = new State&lt;&gt;();
 * </pre>
 * Instances are compared by identity and held weakly: a value goes with its instance, provided that it does not lead to
 * it. The number of values is limited, those of instances that the garbage collector has not found yet among them. What is
 * put beyond it is dropped and counted; the first time a line on standard error says so. All methods may be called by
 * any number of threads.
 */
public final class State<T> {
    private static final int SHARDS = 16;

    private final Shard[] shards = new Shard[SHARDS];
    private final int most;
    private boolean said;

    /** For 100,000 instances. */
    public State() {
        this(100000);
    }

    /** For about so many instances. */
    public State(int most) {
        this.most = most;
        for (int i = 0; i < SHARDS; i++)
            shards[i] = new Shard(most / SHARDS + 1);
    }

    /** The value of an instance; null: it has none. */
    public T get(Object instance) {
        return instance == null ? null : value(shard(instance).get(instance));
    }

    /** Gives an instance a value, null to take it away. Returns the value before. */
    public T put(Object instance, T value) {
        Object before = instance == null ? null : shard(instance).put(instance, value);
        if (before != Shard.DROPPED)
            return value(before);
        if (isFirst())
            System.err.println("instr: " + "a kit keeps values for " + most + " instances, those not collected yet among them, as many as it has room for: "
                    + "values of others, such as one of " + instance.getClass().getName() + ", are dropped");
        return null;
    }

    private synchronized boolean isFirst() {
        boolean first = !said;
        said = true;
        return first;
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

    /** Takes all values away, for the agent, when the kit is off. */
    void clear() {
        for (Shard shard : shards)
            shard.clear();
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
