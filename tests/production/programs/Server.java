import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/**
 * The JDK's own server: / does some work, /memory collects garbage and tells what the JVM's pools hold, /floor/CLASSES has
 * the agent that changes nothing retransform them.
 */
public class Server {
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

    static String memory() {
        System.gc();
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
        if (path.startsWith("/floor/")) return Floor.tell(path.substring(7).replace('.', '/'), 500);
        return path.equals("/memory") ? memory() : work(30);
    }

    public static void main(String[] args) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 200);
        server.createContext("/", new Handler());
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.start();
        System.out.println(server.getAddress().getPort());
        System.in.read();
        System.exit(0);
    }
}
