import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Load PORT CONNECTIONS RATE SECONDS: requests a second over all connections, 0: as many as the server answers. A request that begins
 * late, since the one before it took long, counts from when it was due. Prints requests, requests_per_second, p50_us, p99_us.
 */
public final class Load {
    private Load() {}

    static final class Connection extends Thread {
        private final int port, first;
        private final long interval, start, end; // ns
        private long[] times = new long[1 << 16];
        int count;
        IOException failed;

        Connection(int port, int first, long interval, long start, long end) {
            this.port = port;
            this.first = first;
            this.interval = interval;
            this.start = start;
            this.end = end;
        }

        private void add(long time) {
            if (count == times.length) times = Arrays.copyOf(times, 2 * count);
            times[count++] = time;
        }

        long[] times() {
            return Arrays.copyOf(times, count);
        }

        private static String line(InputStream in) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int c; (c = in.read()) != '\n'; line.append((char) c))
                if (c < 0) throw new IOException("the server has closed the connection");
            return line.toString().trim();
        }

        private static void answer(InputStream in) throws IOException {
            String line = line(in);
            if (!line.startsWith("HTTP/1.1 200")) throw new IOException(line);
            long length = -1;
            while (!(line = line(in)).isEmpty())
                if (line.toLowerCase().startsWith("content-length:")) length = Long.parseLong(line.substring(15).trim());
            if (length <= 0) throw new IOException("no length");
            while (length > 0) {
                long skipped = in.skip(length);
                if (skipped <= 0) throw new IOException("the answer is too short");
                length -= skipped;
            }
        }

        @Override
        public void run() {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setTcpNoDelay(true);
                OutputStream out = socket.getOutputStream();
                InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
                int n = first;
                for (long due = start; due < end; n += 7) {
                    for (long now; (now = System.nanoTime()) < due; ) LockSupport.parkNanos(due - now);
                    if (interval == 0) due = System.nanoTime();
                    out.write(("GET /search?n=" + n % 1000 + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes("UTF-8"));
                    answer(in);
                    add(System.nanoTime() - due);
                    due += interval;
                    if (System.nanoTime() > end) break;
                }
            } catch (IOException e) {
                failed = e;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]), connections = Integer.parseInt(args[1]);
        double rate = Double.parseDouble(args[2]), seconds = Double.parseDouble(args[3]);
        long interval = rate == 0 ? 0 : (long) (1e9 * connections / rate), now = System.nanoTime() + 10000000;
        Connection[] all = new Connection[connections];
        for (int i = 0; i < connections; i++)
            all[i] = new Connection(port, 13 * i, interval, now + interval * i / connections, now + (long) (seconds * 1e9));
        for (Connection c : all) c.start();
        int count = 0;
        for (Connection c : all) {
            c.join();
            if (c.failed != null) throw c.failed;
            count += c.count;
        }
        long took = System.nanoTime() - now;
        long[] times = new long[count];
        int at = 0;
        for (Connection c : all) {
            System.arraycopy(c.times(), 0, times, at, c.count);
            at += c.count;
        }
        Arrays.sort(times);
        System.out.println("requests " + count);
        System.out.println("requests_per_second " + count * 1e9 / took);
        System.out.println("p50_us " + times[count / 2] / 1000);
        System.out.println("p99_us " + times[(int) (count * 0.99)] / 1000);
    }
}
