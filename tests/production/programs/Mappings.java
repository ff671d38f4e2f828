import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Has nearly as many memory mappings as the kernel lets a process have, until its standard input ends. */
final class Mappings {
    private static final int LEFT = 50, PAGE = 4096;

    private Mappings() {
    }

    public static void main(String[] args) throws IOException {
        List<Object> mapped = new ArrayList<>();
        try (RandomAccessFile file = new RandomAccessFile(args[0], "rw")) {
            file.setLength(PAGE);
            for (long left = most() - used() - LEFT; left > 0; left--) {
                // The kernel joins neighbours that are alike.
                FileChannel.MapMode mode = left % 2 == 0 ? FileChannel.MapMode.READ_ONLY : FileChannel.MapMode.READ_WRITE;
                mapped.add(file.getChannel().map(mode, 0, PAGE));
            }
        }
        System.out.println("ready");
        while (System.in.read() >= 0) {
        }
        System.out.println(mapped.size() > 0);
    }

    private static long most() throws IOException {
        return Long.parseLong(Files.readAllLines(Paths.get("/proc/sys/vm/max_map_count")).get(0).trim());
    }

    private static long used() throws IOException {
        try (Stream<String> lines = Files.lines(Paths.get("/proc/self/maps"))) {
            return lines.count();
        }
    }
}
