import java.io.File;
import java.io.FileOutputStream;
import java.util.Arrays;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.DirectorySourceFileLocator;
import org.jacoco.report.FileMultiReportOutput;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.MultiReportVisitor;
import org.jacoco.report.MultiSourceFileLocator;
import org.jacoco.report.html.HTMLFormatter;
import org.jacoco.report.xml.XMLFormatter;

/** JacocoPage EXEC HTML XML CLASSES [SOURCES]: JaCoCo's report as its command line makes it; SOURCES has a folder for each module. */
public final class JacocoPage {
    private JacocoPage() {}

    public static void main(String[] args) throws Exception {
        ExecFileLoader exec = new ExecFileLoader();
        exec.load(new File(args[0]));
        CoverageBuilder builder = new CoverageBuilder();
        new Analyzer(exec.getExecutionDataStore(), builder).analyzeAll(new File(args[3]));
        MultiSourceFileLocator sources = new MultiSourceFileLocator(4);
        if (args.length > 4)
            for (File module : new File(args[4]).listFiles()) sources.add(new DirectorySourceFileLocator(module, "UTF-8", 4));
        try (FileOutputStream xml = new FileOutputStream(args[2])) {
            IReportVisitor page = new HTMLFormatter().createVisitor(new FileMultiReportOutput(new File(args[1])));
            IReportVisitor report = new MultiReportVisitor(Arrays.asList(page, new XMLFormatter().createVisitor(xml)));
            report.visitInfo(exec.getSessionInfoStore().getInfos(), exec.getExecutionDataStore().getContents());
            report.visitBundle(builder.getBundle("JDK"), sources);
            report.visitEnd();
        }
    }
}
