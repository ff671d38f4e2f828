import java.io.File;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * An agent that changes no class. "X,Y": when class X is retransformed, it loads class Y. The path of a file: when the first class of instr's
 * runtime is defined, it creates the file, and waits for a second.
 */
public final class LoadingAgent implements ClassFileTransformer {
    private final String retransformed, loaded;
    private boolean done;

    private LoadingAgent(String retransformed, String loaded) {
        this.retransformed = retransformed;
        this.loaded = loaded;
    }

    public static void premain(String arguments, Instrumentation instrumentation) {
        String[] names = arguments.split(",");
        instrumentation.addTransformer(names.length == 2 ? new LoadingAgent(names[0], names[1]) : new LoadingAgent(null, arguments), true);
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (done || name == null) return null;
        boolean is = retransformed != null ? redefined != null && name.equals(retransformed) : name.startsWith("java/lang/Instr");
        if (!is) return null;
        done = true;
        try {
            if (retransformed != null) {
                Class.forName(loaded, false, loader);
            } else if (new File(loaded).createNewFile()) {
                Thread.sleep(1000);
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return null;
    }
}
