import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Loads and runs classes while a disk is full, and after there is room again: FOLDER MEANWHILE AFTERWARDS [kill]. */
public class FullDisk {
    /** Copies of it have different ids. */
    static final class Copy implements Runnable {
        static String number = "number 00000";

        @Override
        public void run() {
            if (number.isEmpty()) throw new IllegalStateException();
        }
    }

    static final class Loader extends ClassLoader {
        Runnable load(byte[] bytes) throws Exception {
            Class<?> made = defineClass("FullDisk$Copy", bytes, 0, bytes.length, FullDisk.class.getProtectionDomain());
            java.lang.reflect.Constructor<?> constructor = made.getDeclaredConstructor();
            constructor.setAccessible(true);
            return (Runnable) constructor.newInstance();
        }
    }

    private static byte[] bytes;
    private static int made;

    private static void read() throws IOException {
        if (bytes != null) return;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = FullDisk.class.getResourceAsStream("FullDisk$Copy.class")) {
            for (int b = in.read(); b >= 0; b = in.read()) out.write(b);
        }
        bytes = out.toByteArray();
    }

    static Runnable[] load(int count) throws Exception {
        read();
        Runnable[] copies = new Runnable[count];
        int at = new String(bytes, "ISO-8859-1").indexOf("number 00000");
        for (int i = 0; i < count; i++) {
            byte[] copy = bytes.clone();
            System.arraycopy(String.format("%05d", ++made).getBytes("US-ASCII"), 0, copy, at + 7, 5);
            copies[i] = new Loader().load(copy);
        }
        return copies;
    }

    private static void run(Runnable[] copies) {
        for (Runnable copy : copies) copy.run();
    }

    private static void fill(File file) {
        try (FileOutputStream out = new FileOutputStream(file)) {
            for (int i = 0; i < 1000; i++) out.write(new byte[1000]);
            System.out.println("the disk has room");
        } catch (IOException expected) {
            System.out.println("full");
        }
    }

    private static void kill() throws Exception {
        String pid = new File("/proc/self").getCanonicalFile().getName();
        new ProcessBuilder("sh", "-c", "kill -9 " + pid).start().waitFor();
        Thread.sleep(60000);
    }

    public static void main(String[] args) throws Exception {
        File full = new File(args[0], "full");
        run(load(1));
        fill(full);
        run(load(Integer.parseInt(args[1])));
        full.delete();
        run(load(Integer.parseInt(args[2])));
        Thread.sleep(args.length > 3 ? 1000 : 0);
        if (args.length > 3) kill();
        System.out.println("end");
    }
}
