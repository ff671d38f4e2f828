import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Paths;

/** Makes an agent, if there is one, retransform its classes and then redefine them with the same bytes. */
public class Again {
    static class Part {
        final int n;

        Part(int n) {
            if (n % 10 == 0)
                throw new IllegalArgumentException();
            this.n = n;
        }

        long work() {
            long sum = 0;
            for (int i = 0; i < n; i++)
                sum += step(i);
            return sum;
        }

        static int step(int i) {
            return i;
        }
    }

    static long round() {
        long sum = 0;
        for (int i = 0; i < 100; i++)
            try {
                sum += new Part(i).work();
            } catch (IllegalArgumentException e) {
                sum += 1000;
            }
        return sum;
    }

    static Instrumentation instrumentation() throws ReflectiveOperationException {
        try {
            return (Instrumentation) Class.forName("ReferenceAgent").getField("instrumentation").get(null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    public static void main(String[] args) throws Exception {
        Instrumentation inst = instrumentation();
        System.out.println(round());
        for (int i = 0; i < 2; i++) {
            if (inst != null)
                inst.retransformClasses(Part.class, Again.class);
            System.out.println(round());
        }
        if (inst != null)
            inst.redefineClasses(new ClassDefinition(Part.class,
                Files.readAllBytes(Paths.get(Again.class.getResource("Again$Part.class").toURI()))));
        System.out.println(round());
    }
}
