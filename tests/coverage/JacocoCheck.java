import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import org.jacoco.core.analysis.Analyzer;
import org.jacoco.core.analysis.CoverageBuilder;
import org.jacoco.core.analysis.ICoverageNode;
import org.jacoco.core.data.SessionInfo;
import org.jacoco.core.tools.ExecFileLoader;
import org.jacoco.report.IReportVisitor;
import org.jacoco.report.check.IViolationsOutput;
import org.jacoco.report.check.Limit;
import org.jacoco.report.check.Rule;
import org.jacoco.report.check.RulesChecker;

/**
 * JacocoCheck EXEC CLASSES < RULES: for each line "ELEMENT INCLUDES EXCLUDES COUNTER VALUE minimum|maximum NUMBER", separated by tabs, what
 * JaCoCo's own check finds violated, and behind it a line "end".
 */
public final class JacocoCheck {
    private JacocoCheck() {}

    public static void main(String[] args) throws Exception {
        ExecFileLoader exec = new ExecFileLoader();
        exec.load(new File(args[0]));
        CoverageBuilder builder = new CoverageBuilder();
        new Analyzer(exec.getExecutionDataStore(), builder).analyzeAll(new File(args[1]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split("\t", -1);
            Rule rule = new Rule();
            rule.setElement(ICoverageNode.ElementType.valueOf(words[0]));
            rule.setIncludes(words[1]);
            rule.setExcludes(words[2]);
            Limit limit = rule.createLimit();
            limit.setCounter(words[3]);
            limit.setValue(words[4]);
            if (words[5].equals("minimum")) limit.setMinimum(words[6]);
            else limit.setMaximum(words[6]);
            RulesChecker checker = new RulesChecker();
            checker.setRules(Collections.singletonList(rule));
            IReportVisitor visitor = checker.createVisitor(new IViolationsOutput() {
                @Override
                public void onViolation(ICoverageNode node, Rule violated, Limit bound, String message) {
                    System.out.println(message);
                }
            });
            visitor.visitInfo(Collections.<SessionInfo>emptyList(), exec.getExecutionDataStore().getContents());
            visitor.visitBundle(builder.getBundle("test"), null);
            visitor.visitEnd();
            System.out.println("end");
        }
    }
}
