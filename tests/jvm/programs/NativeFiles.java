import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/** Files and sockets: native methods of the JDK. */
public class NativeFiles {
    public static void main(String[] args) throws Exception {
        File file = new File("file");
        try (FileOutputStream out = new FileOutputStream(file)) {
            for (int i = 0; i < 100; i++) out.write(i);
            out.write(new byte[1000]);
        }
        int sum = 0;
        try (FileInputStream in = new FileInputStream(file)) {
            for (int i = 0; i < 100; i++) sum += in.read();
            sum += in.read(new byte[2000]);
        }
        try (RandomAccessFile random = new RandomAccessFile(file, "rw")) {
            random.seek(50);
            sum += random.read();
        }
        Path path = Paths.get("file");
        ByteBuffer buffer = ByteBuffer.allocateDirect(64);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            for (int i = 0; i < 10; i++) {
                buffer.clear();
                sum += channel.read(buffer, i * 64L);
            }
        }
        System.out.println(sum + " " + Files.size(path) + " " + file.length() + " " + file.delete());
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
            Socket accepted = server.accept();
            client.getOutputStream().write(new byte[] {1, 2, 3});
            client.close();
            int bytes = 0;
            while (accepted.getInputStream().read() >= 0) bytes++;
            accepted.close();
            System.out.println(bytes);
        }
        try {
            new FileInputStream("missing");
        } catch (java.io.FileNotFoundException e) {
            System.out.println(e.getMessage());
        }
    }
}
