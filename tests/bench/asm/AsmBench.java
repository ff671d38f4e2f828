import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodTooLargeException;

/**
 * What ASM takes, per class, in one thread: for a full copy, for a copy with a shared constant pool, and for the job of
 * the timing pass, tuned by hand (TimingJob) and as its users write it (AdviceJob). Class files are in memory; the first pass of the job is cold, the others give their best round.
 *
 * <pre>
 * java -XX:+UseSerialGC -Xms2g -cp asm.jar:CLASSES AsmBench FOLDER [ROUNDS]     measure
 * java -cp asm.jar:CLASSES AsmBench --write FOLDER OUTPUT                       write what the job makes of them
 * java -cp asm.jar:CLASSES AsmBench --check ASM.JAR                             run ASM rewritten by the job (Check)
 * </pre>
 */
public final class AsmBench {
    private static final int NEWEST = 64; // the newest major version that ASM 9.4, Debian 12's, reads

    interface Job {
        byte[] run(byte[] original);
    }

    private final List<byte[]> classes = new ArrayList<>();
    private final List<Byte> majors = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private long checksum;

    public static void main(String[] args) throws Exception {
        if (args.length == 2 && args[0].equals("--check")) {
            Check.run(Path.of(args[1]), "TimingJob", TimingJob::rewrite);
            Check.run(Path.of(args[1]), "AdviceJob", AdviceJob::rewrite);
        } else if (args.length == 3 && args[0].equals("--write")) {
            new AsmBench(Path.of(args[1])).write(Path.of(args[2]));
        } else if (args.length == 1 || args.length == 2) {
            new AsmBench(Path.of(args[0])).measure(args.length == 2 ? Integer.parseInt(args[1]) : 8);
        } else {
            System.err.println("usage: AsmBench FOLDER [ROUNDS] | --write FOLDER OUTPUT | --check ASM.JAR");
            System.exit(2);
        }
    }

    private AsmBench(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.filter(p -> p.toString().endsWith(".class") && !p.endsWith("module-info.class")).sorted()
                    .collect(java.util.stream.Collectors.toList());
        }
        for (Path file : files) {
            byte[] b = Files.readAllBytes(file);
            majors.add(b[7]);
            if (b[7] > NEWEST)
                b[7] = NEWEST; // what is newer than this ASM is read as if it were not; the parts it reads are the same
            classes.add(b);
            names.add(folder.relativize(file).toString());
        }
    }

    private void measure(int rounds) {
        Job copy = b -> {
            ClassWriter w = new ClassWriter(0);
            new ClassReader(b).accept(w, 0);
            return w.toByteArray();
        };
        Job shared = b -> {
            ClassReader r = new ClassReader(b);
            ClassWriter w = new ClassWriter(r, 0);
            r.accept(w, 0);
            return w.toByteArray();
        };
        Job timing = TimingJob::rewrite;
        Job advice = AdviceJob::rewrite;
        Job counted = b -> {
            Ids.counted = true;
            byte[] rewritten = AdviceJob.rewrite(b);
            Ids.counted = false;
            return rewritten;
        };
        print("asm_timing_first_us_per_class", pass(timing));
        double bestCopy = 1e9, bestShared = 1e9, bestTiming = 1e9, bestAdvice = 1e9, bestCounted = 1e9;
        for (int i = 0; i < rounds; i++) {
            bestCopy = Math.min(bestCopy, pass(copy));
            bestShared = Math.min(bestShared, pass(shared));
            bestTiming = Math.min(bestTiming, pass(timing));
            bestAdvice = Math.min(bestAdvice, pass(advice));
            bestCounted = Math.min(bestCounted, pass(counted));
        }
        print("asm_copy_us_per_class", bestCopy);
        print("asm_shared_us_per_class", bestShared);
        print("asm_timing_us_per_class", bestTiming);
        print("asm_advice_us_per_class", bestAdvice);
        print("asm_counted_us_per_class", bestCounted);
        System.out.println("asm_classes " + classes.size());
        System.out.println("asm_too_large " + tooLarge);
        System.out.println("asm_checksum " + checksum);
    }

    private int tooLarge;

    /** One pass over all classes, in microseconds per class. */
    private double pass(Job job) {
        System.gc();
        tooLarge = 0;
        long start = System.nanoTime(), bytes = 0;
        for (byte[] b : classes) {
            try {
                bytes += job.run(b).length;
            } catch (MethodTooLargeException e) {
                tooLarge++;
            }
        }
        long end = System.nanoTime();
        checksum += bytes;
        return (end - start) / 1e3 / classes.size();
    }

    private static void print(String name, double value) {
        System.out.printf(java.util.Locale.ROOT, "%s %.2f%n", name, value);
    }

    private void write(Path output) throws IOException {
        for (int i = 0; i < classes.size(); i++) {
            byte[] b = TimingJob.rewrite(classes.get(i));
            b[7] = majors.get(i);
            Path file = output.resolve(names.get(i));
            Files.createDirectories(file.getParent());
            Files.write(file, b);
        }
        System.out.println(classes.size() + " classes written");
    }
}
