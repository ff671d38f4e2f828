import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * What `instr rewrite timing` does, done with java.util.zip and ASM.
 *
 * <pre>
 * java RewriteJar plain IN OUT              one thread, ZipOutputStream, as one writes it
 * java RewriteJar parallel LEVEL IN OUT     inflates, rewrites and deflates on all cores
 * </pre>
 */
final class RewriteJar {
    static final class Entry {
        ZipEntry in;
        byte[] data, name;
        long crc;
        int size, offset;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("plain"))
            plain(arguments[1], arguments[2]);
        else
            parallel(Integer.parseInt(arguments[1]), arguments[2], arguments[3]);
    }

    private static byte[] rewritten(ZipFile in, ZipEntry entry) throws Exception {
        byte[] bytes;
        try (InputStream stream = in.getInputStream(entry)) {
            bytes = stream.readAllBytes();
        }
        String name = entry.getName();
        return name.endsWith(".class") && !name.endsWith("module-info.class") ? TimingJob.rewrite(bytes) : bytes;
    }

    private static void plain(String from, String to) throws Exception {
        try (ZipFile in = new ZipFile(from);
                ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(new FileOutputStream(to), 1 << 16))) {
            for (ZipEntry entry : (Iterable<ZipEntry>) in.stream().map(e -> (ZipEntry) e)::iterator) {
                ZipEntry copy = new ZipEntry(entry.getName());
                copy.setTime(entry.getTime());
                out.putNextEntry(copy);
                out.write(rewritten(in, entry));
                out.closeEntry();
            }
        }
    }

    // --- parallel: the archive is put together by hand, as ZipOutputStream deflates in its caller ---

    private static final ThreadLocal<Deflater> DEFLATER = new ThreadLocal<>();
    private static int level;

    private static Entry make(ZipFile in, ZipEntry entry) throws Exception {
        Entry made = new Entry();
        made.in = entry;
        made.name = entry.getName().getBytes("UTF-8");
        byte[] bytes = rewritten(in, entry);
        CRC32 crc = new CRC32();
        crc.update(bytes);
        made.crc = crc.getValue();
        made.size = bytes.length;
        Deflater deflater = DEFLATER.get();
        if (deflater == null)
            DEFLATER.set(deflater = new Deflater(level, true));
        deflater.reset();
        deflater.setInput(bytes);
        deflater.finish();
        byte[] room = new byte[bytes.length + bytes.length / 100 + 64];
        made.data = java.util.Arrays.copyOf(room, deflater.deflate(room));
        return made;
    }

    private static void parallel(int wanted, String from, String to) throws Exception {
        level = wanted;
        ExecutorService threads = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        List<Entry> done = new ArrayList<>();
        try (ZipFile in = new ZipFile(from);
                DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(to), 1 << 16))) {
            ArrayDeque<Future<Entry>> ahead = new ArrayDeque<>();
            java.util.Iterator<? extends ZipEntry> entries = in.stream().iterator();
            while (entries.hasNext() || !ahead.isEmpty()) {
                while (entries.hasNext() && ahead.size() < 256) {
                    ZipEntry entry = entries.next();
                    ahead.add(threads.submit(() -> make(in, entry)));
                }
                Entry entry = ahead.remove().get();
                entry.offset = out.size();
                header(out, entry, 0x04034b50);
                out.write(entry.name);
                out.write(entry.data);
                entry.data = null;
                done.add(entry);
            }
            int start = out.size();
            for (Entry entry : done) {
                header(out, entry, 0x02014b50);
                out.write(entry.name);
            }
            int length = out.size() - start;
            four(out, 0x06054b50);
            four(out, 0);
            two(out, done.size());
            two(out, done.size());
            four(out, length);
            four(out, start);
            two(out, 0);
        }
        threads.shutdown();
    }

    private static void header(OutputStream out, Entry entry, int signature) throws Exception {
        boolean central = signature == 0x02014b50;
        if (!central)
            entry.in.setCompressedSize(entry.data.length);
        four(out, signature);
        if (central)
            two(out, 20);
        two(out, 20);
        two(out, 0x800);
        two(out, 8);
        four(out, 0x21 << 16);
        four(out, (int) entry.crc);
        four(out, (int) entry.in.getCompressedSize());
        four(out, entry.size);
        two(out, entry.name.length);
        two(out, 0);
        if (!central)
            return;
        two(out, 0);
        two(out, 0);
        two(out, 0);
        four(out, 0);
        four(out, entry.offset);
    }

    private static void two(OutputStream out, int value) throws Exception {
        out.write(value);
        out.write(value >>> 8);
    }

    private static void four(OutputStream out, int value) throws Exception {
        two(out, value);
        two(out, value >>> 16);
    }
}
