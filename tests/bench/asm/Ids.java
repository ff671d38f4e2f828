import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The numbers of methods, by which an agent tells later what the inserted code has counted: each method gets one, and
 * the same again when its class comes again. Classes come in any number of threads.
 *
 * With `counted` they are counted up instead, and what they stand for is not kept: the job without that.
 */
final class Ids {
    private static final ConcurrentHashMap<String, Integer> IDS = new ConcurrentHashMap<>();
    private static final AtomicInteger NEXT = new AtomicInteger();

    static boolean counted;
    private static int next;

    private Ids() {
    }

    static int of(String owner, String name, String desc) {
        if (counted)
            return next++ & 0xffff; // as large as those of the others
        String method = owner + '.' + name + desc;
        Integer id = IDS.get(method);
        return id != null ? id : IDS.computeIfAbsent(method, m -> NEXT.getAndIncrement());
    }
}
