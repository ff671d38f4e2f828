// A kit: counts JDBC statements by their SQL, and times them. The table is printed when the JVM ends.
//
//      javac -g -cp $(instr kit jar) -d classes Sql.java
//      jar cf sql.jar -C classes .
//      instr run kit=sql.jar -- java -jar app.jar

import instr.kit.*;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

final class Sql {
    private static final int MOST = 1000;
    private static final Map<String, Sql> ALL = new ConcurrentHashMap<>();
    static final State<String> PREPARED = new State<>();

    private long count, nanoseconds;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(Sql::print));
    }

    static void add(String sql, long start) {
        long spent = System.nanoTime() - start;
        Sql sum = ALL.computeIfAbsent(ALL.size() < MOST ? sql : "...", key -> new Sql());
        synchronized (sum) {
            sum.count++;
            sum.nanoseconds += spent;
        }
    }

    private static void print() {
        ALL.forEach((sql, sum) -> System.err.printf("%6d  %9.3f ms  %s%n", sum.count, sum.nanoseconds / 1e6, sql));
    }

    @Advice("**Statement.execute*(String, ..)")
    static final class Direct {
        static long enter() { return System.nanoTime(); }
        static void exit(@Enter long start, @Arg(0) String sql) { add(sql, start); }
    }

    @Advice("**Connection.prepare*(String, ..)")
    static final class Prepares {
        static void returned(@Result Object statement, @Arg(0) String sql) { PREPARED.put(statement, sql); }
    }

    @Advice("**PreparedStatement.execute*()")
    static final class Prepared {
        static long enter() { return System.nanoTime(); }

        static void exit(@Enter long start, @This Object statement) {
            String sql = PREPARED.get(statement);
            if (sql != null) add(sql, start);
        }
    }
}
