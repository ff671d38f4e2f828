import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.util.Collections;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.xml.XMLFormatter;

/** JacocoReport EXEC XML CLASSES...: JaCoCo's XML report, without the sessions, which differ from run to run. */
public final class JacocoReport {
    private JacocoReport() {}

    public static void main(String[] args) throws Exception {
        ExecFileLoader exec = new ExecFileLoader();
        exec.load(new File(args[0]));
        CoverageBuilder builder = new CoverageBuilder();
        Analyzer analyzer = new Analyzer(exec.getExecutionDataStore(), builder);
        for (int i = 2; i < args.length; i++) analyzer.analyzeAll(new File(args[i]));
        try (OutputStream out = new FileOutputStream(args[1])) {
            IReportVisitor report = new XMLFormatter().createVisitor(out);
            report.visitInfo(
                    Collections.<SessionInfo>emptyList(), exec.getExecutionDataStore().getContents());
            report.visitBundle(builder.getBundle("test"), null);
            report.visitEnd();
        }
        // Classes whose id in the file differs from that of the class on disk.
        System.out.println(builder.getNoMatchClasses().size() + " classes do not match");
    }
}
