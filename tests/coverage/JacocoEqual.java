import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.csv.CSVFormatter;
import org.jacoco.report.xml.XMLFormatter;

/**
 * JacocoEqual EXEC XML CSV PATH...: JaCoCo's reports of classes in folders and jars, in the order of their names. Classes that
 * JaCoCo cannot read are printed and left out.
 */
public final class JacocoEqual {
    private final Analyzer analyzer;

    private JacocoEqual(Analyzer analyzer) {
        this.analyzer = analyzer;
    }

    public static void main(String[] args) throws Exception {
        ExecFileLoader exec = new ExecFileLoader();
        exec.load(new File(args[0]));
        CoverageBuilder builder = new CoverageBuilder();
        JacocoEqual reader = new JacocoEqual(new Analyzer(exec.getExecutionDataStore(), builder));
        for (int i = 3; i < args.length; i++) reader.walk(new File(args[i]));
        try (OutputStream xml = new FileOutputStream(args[1]);
                OutputStream csv = new FileOutputStream(args[2])) {
            for (IReportVisitor report :
                    Arrays.asList(new XMLFormatter().createVisitor(xml), new CSVFormatter().createVisitor(csv))) {
                report.visitInfo(
                        exec.getSessionInfoStore().getInfos(), exec.getExecutionDataStore().getContents());
                report.visitBundle(builder.getBundle("test"), null);
                report.visitEnd();
            }
        }
    }

    private void walk(File file) throws IOException {
        if (file.isDirectory()) {
            String[] names = file.list();
            Arrays.sort(names);
            for (String name : names) walk(new File(file, name));
        } else if (isOfInterest(file)) {
            take(Files.readAllBytes(file.toPath()), file.getPath());
        }
    }

    private static boolean isOfInterest(File file) throws IOException {
        byte[] start = new byte[8];
        try (InputStream in = new FileInputStream(file)) {
            return in.read(start) == start.length && (isClass(start) || isArchive(start)) || file.getName().endsWith(".class");
        }
    }

    /** JaCoCo tells by the first bytes what it looks into. */
    private static boolean isClass(byte[] bytes) {
        return startsWith(bytes, 0xCAFEBABE) && bytes.length >= 8 && ((bytes[6] & 0xFF) << 8 | bytes[7] & 0xFF) >= 45;
    }

    private static boolean isArchive(byte[] bytes) {
        return startsWith(bytes, 0x504B0304);
    }

    private static boolean startsWith(byte[] bytes, int magic) {
        return bytes.length >= 4 && ByteBuffer.wrap(bytes).getInt() == magic;
    }

    private void take(byte[] bytes, String name) throws IOException {
        if (name.endsWith(".class") || isClass(bytes)) analyze(bytes, name);
        else if (isArchive(bytes)) walkJar(new ByteArrayInputStream(bytes), name);
    }

    private void walkJar(InputStream in, String location) throws IOException {
        ZipInputStream zip = new ZipInputStream(in);
        for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) take(readAll(zip), location + "!" + entry.getName());
    }

    private static byte[] readAll(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int n; (n = in.read(buffer)) > 0; ) out.write(buffer, 0, n);
        return out.toByteArray();
    }

    private void analyze(byte[] bytes, String location) {
        try {
            analyzer.analyzeClass(bytes, location);
        } catch (IOException | RuntimeException broken) {
            System.out.println(location + ": " + broken.getCause());
        }
    }
}
