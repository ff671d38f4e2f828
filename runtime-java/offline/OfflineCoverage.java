package instr.runtime;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;

/** What rewritten files have covered: their probes, and at exit an .exec file as the agent writes it. */
public final class OfflineCoverage {
    private static final int PROBES = 32768;
    /** Each is an OfflineTable, the array's number, and the array; one for each class loader that has the file. */
    private static final ArrayList<Object[]> HOLDERS = new ArrayList<Object[]>();
    private static final LinkedHashMap<String, OfflineTable> TABLES = new LinkedHashMap<String, OfflineTable>();
    private static final long START = System.currentTimeMillis();

    private OfflineCoverage() {}

    /** Takes an array of a file's probes; its number says which of them. */
    public static void add(String[] rows, int number, boolean[] probes) {
        synchronized (HOLDERS) {
            if (TABLES.isEmpty()) Runtime.getRuntime().addShutdownHook(new OfflineHook(true));
            OfflineTable table = TABLES.get(rows[0]);
            if (table == null) TABLES.put(rows[0], table = new OfflineTable(rows, 0));
            HOLDERS.add(new Object[] {table, Integer.valueOf(number), probes});
        }
    }

    static void report() {
        try {
            synchronized (HOLDERS) {
                write();
            }
        } catch (Throwable failed) {
            OfflineReport.say("instr: coverage: the result is lost: " + failed);
        }
    }

    private static void write() throws Exception {
        OfflineReport report = new OfflineReport(TABLES.values());
        String file = report.option("coverage.file"), session = report.option("coverage.session");
        String path = OfflineReport.expand(file == null ? "jacoco.exec" : file);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(0x01);
        out.writeInt(0xC0C01007);
        out.writeByte(0x10);
        out.writeUTF(session == null ? newSession() : session);
        out.writeLong(START);
        out.writeLong(System.currentTimeMillis());
        int classes = 0;
        for (OfflineTable table : TABLES.values()) classes += writeClasses(table, out);
        FileOutputStream to = new FileOutputStream(new File(path), !"no".equals(report.option("coverage.append")));
        try {
            to.getChannel().lock();
            to.write(bytes.toByteArray());
        } finally {
            to.close();
        }
        if (!"yes".equals(report.option("quiet")))
            OfflineReport.say("instr: coverage: " + classes + (classes == 1 ? " class" : " classes") + " covered, written to " + path);
    }

    private static String newSession() {
        String host = "unknownhost";
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (Exception unknown) {
            // The name stays "unknownhost".
        }
        return host + "-" + Integer.toHexString((int) (System.nanoTime() * 31 + START));
    }

    private static int writeClasses(OfflineTable table, DataOutputStream out) throws Exception {
        String[] fields = table.fields();
        int written = 0;
        for (int i = 0; i + 3 < fields.length; i += 4) {
            int first = Integer.parseInt(fields[i + 2]), count = Integer.parseInt(fields[i + 3]);
            byte[] bits = bits(table, first, count);
            if (bits == null) continue;
            out.writeByte(0x11);
            out.writeInt((int) Long.parseLong(fields[i + 1].substring(0, 8), 16));
            out.writeInt((int) Long.parseLong(fields[i + 1].substring(8), 16));
            out.writeUTF(fields[i]);
            int rest = count;
            for (; rest > 127; rest >>>= 7) out.writeByte(rest & 127 | 128);
            out.writeByte(rest);
            out.write(bits);
            written++;
        }
        return written;
    }

    /** Null: no probe was hit. */
    private static byte[] bits(OfflineTable table, int first, int count) {
        byte[] bits = new byte[(count + 7) / 8];
        boolean any = false;
        for (Object[] holder : HOLDERS) {
            if (holder[0] != table) continue;
            int start = ((Integer) holder[1]).intValue() * PROBES;
            boolean[] probes = (boolean[]) holder[2];
            int end = Math.min(first + count, start + PROBES);
            for (int i = Math.max(first, start); i < end; i++) {
                if (!probes[i - start]) continue;
                bits[(i - first) / 8] |= (byte) (1 << (i - first) % 8);
                any = true;
            }
        }
        return any ? bits : null;
    }
}
