import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Paths;

/**
 * Runs a program several times in one JVM: Repeat TIMES CLASS ARGUMENT... . After each run it prints a line "run I WALL CPU", both in
 * milliseconds; CPU is that of the process, all its threads. With -Dmemory=true a line "memory I RESIDENT CODE METASPACE" follows each,
 * in KiB.
 */
public final class Repeat {
    private Repeat() {}

    public static void main(String[] args) throws Exception {
        int times = Integer.parseInt(args[0]);
        String[] rest = java.util.Arrays.copyOfRange(args, 2, args.length);
        for (int i = 1; i <= times; i++) {
            long wall = System.nanoTime(), cpu = cpu();
            run(args[1], rest);
            System.out.println("run " + i + " " + (System.nanoTime() - wall) / 1000000 + " " + (cpu() - cpu) * 10);
            if (Boolean.getBoolean("memory")) System.out.println("memory " + i + " " + memory());
            System.out.flush();
        }
    }

    private static void run(String name, String[] args) throws Exception {
        if (!name.equals("ecj")) {
            Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) args);
            return;
        }
        Class<?> compiler = Class.forName("org.eclipse.jdt.core.compiler.batch.BatchCompiler");
        for (Method m : compiler.getMethods()) {
            if (!m.getName().equals("compile") || m.getParameterTypes()[0] != String[].class) continue;
            PrintWriter out = new PrintWriter(System.err);
            if (!(Boolean) m.invoke(null, args, out, out, null)) throw new IllegalStateException("the compiler found errors");
        }
    }

    private static String memory() throws Exception {
        long resident = 0, code = 0, metaspace = 0;
        for (String line : Files.readAllLines(Paths.get("/proc/self/status")))
            if (line.startsWith("VmRSS:")) resident = Long.parseLong(line.replaceAll("\\D", ""));
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getName().startsWith("Code")) code += pool.getUsage().getUsed();
            if (pool.getName().equals("Metaspace")) metaspace += pool.getUsage().getUsed();
        }
        return resident + " " + (code >> 10) + " " + (metaspace >> 10);
    }

    /** User and system time of the process, in ticks of 10 ms (proc(5)). */
    private static long cpu() throws Exception {
        String stat = new String(Files.readAllBytes(Paths.get("/proc/self/stat")), "ISO-8859-1");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
