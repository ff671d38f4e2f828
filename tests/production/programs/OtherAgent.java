import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * Another agent, in Java: in the class Many it replaces the factor 31, with which bits of a number are mixed, by 37; with the option "again" also 37 by
 * 43, so that a second application shows, as it does with agents that add code.
 */
public class OtherAgent implements ClassFileTransformer {
    private static boolean again;

    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (!"Many".equals(name)) return null;
        byte[] changed = bytes.clone();
        int found = 0;
        for (int i = 0; i + 1 < changed.length; i++)
            if (changed[i] == 0x10 && (changed[i + 1] == 31 || again && changed[i + 1] == 37) && i + 2 < changed.length && changed[i + 2] == 0x68) { // bipush 31, imul
                changed[i + 1] += 6;
                found++;
            }
        System.err.println("other agent: " + found);
        return found == 0 ? null : changed;
    }

    public static void premain(String options, Instrumentation instrumentation) throws Exception {
        agentmain(options, instrumentation);
    }

    public static void agentmain(String options, Instrumentation instrumentation) throws Exception {
        again = "again".equals(options);
        instrumentation.addTransformer(new OtherAgent(), true);
        for (Class<?> loaded : instrumentation.getAllLoadedClasses())
            if (loaded.getName().equals("Many")) instrumentation.retransformClasses(loaded);
    }
}
