import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The JDK's own server: / does some work, /served reports how often, /memory reports the JVM's memory pools, /collected does so after collections, /floor/BATCH/CLASSES
 * makes the agent that changes nothing retransform the classes; with BATCH+CONSTANTS it adds constants to each. A file names classes to load and link first.
 */
public class Server {
    /** State kept for the users: it grows old and is replaced, so that the JVM collects, as in most servers. */
    static final byte[][] kept = new byte[Integer.getInteger("kept", 0)][];

    static final AtomicLong served = new AtomicLong();

    static String work(int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++)
            try {
                text.append(step(i));
            } catch (IllegalArgumentException e) {
                text.append('!');
            }
        return text.toString();
    }

    static int step(int i) {
        if (i % 7 == 3)
            throw new IllegalArgumentException();
        return i * i % 10;
    }

    /** HotSpot frees compiled code that no longer runs at the second collection, and the methods behind it even later. */
    static String memory(boolean collected) {
        for (int i = 0; i < 3 && collected; i++) {
            System.gc();
            LockSupport.parkNanos(200_000_000);
        }
        StringBuilder text = new StringBuilder();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans())
            text.append(pool.getName()).append('=').append(pool.getUsage().getUsed()).append('\n');
        return text.toString();
    }

    static class Handler implements HttpHandler {
        public void handle(HttpExchange exchange) throws IOException {
            byte[] body = answer(exchange.getRequestURI().getPath()).getBytes("UTF-8");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        }
    }

    static String answer(String path) {
        if (path.startsWith("/floor/")) {
            int end = path.indexOf('/', 7), plus = path.lastIndexOf('+', end);
            int constants = plus < 0 ? 0 : Integer.parseInt(path.substring(plus + 1, end));
            int batch = Integer.parseInt(path.substring(7, plus < 0 ? end : plus));
            return Floor.tell(path.substring(end + 1).replace('.', '/'), batch, constants);
        }
        if (path.equals("/served")) return Long.toString(served.get());
        if (path.equals("/memory") || path.equals("/collected")) return memory(path.equals("/collected"));
        if (kept.length > 0) kept[ThreadLocalRandom.current().nextInt(kept.length)] = new byte[8192];
        served.incrementAndGet();
        return work(30);
    }

    static void load(String file) throws IOException {
        for (String name : new String(Files.readAllBytes(Paths.get(file)), "UTF-8").split("\n"))
            try {
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
            } catch (Throwable absent) {
                // It needs a missing class.
            }
    }

    public static void main(String[] args) throws Exception {
        if (args.length > 0) load(args[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 200);
        server.createContext("/", new Handler());
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println(server.getAddress().getPort());
        System.in.read();
        System.exit(0);
    }
}
