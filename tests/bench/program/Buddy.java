import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.atomic.LongAdder;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.implementation.bytecode.constant.IntegerConstant;
import net.bytebuddy.matcher.ElementMatchers;

/** What the passes calls and timing count, by advice of Byte Buddy: Buddy=calls:REGEX or Buddy=timing:REGEX of class names. */
public final class Buddy {
    private Buddy() {}

    static final int METHODS = 1 << 17;
    public static final LongAdder[] CALLS = adders(), THROWN = adders(), TIMES = adders();

    @Retention(RetentionPolicy.RUNTIME)
    @interface Id {}

    static LongAdder[] adders() {
        LongAdder[] adders = new LongAdder[METHODS];
        for (int i = 0; i < adders.length; i++) adders[i] = new LongAdder();
        return adders;
    }

    public static final class Counting {
        @Advice.OnMethodEnter
        static void enter(@Id int id) {
            CALLS[id].increment();
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Id int id, @Advice.Thrown Throwable thrown) {
            if (thrown != null) THROWN[id].increment();
        }
    }

    public static final class Timing {
        @Advice.OnMethodEnter
        static long enter() {
            return System.nanoTime();
        }

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit(@Id int id, @Advice.Enter long start, @Advice.Thrown Throwable thrown) {
            TIMES[id].add(System.nanoTime() - start);
            CALLS[id].increment();
            if (thrown != null) THROWN[id].increment();
        }
    }

    /** The number of a method, as a constant in its code. */
    static final class Numbers implements Advice.OffsetMapping {
        @Override
        public Target resolve(TypeDescription type, MethodDescription method, Assigner assigner, Advice.ArgumentHandler handler, Sort sort) {
            return new Target.ForStackManipulation(IntegerConstant.forValue((type.getName() + method.toString()).hashCode() & METHODS - 1));
        }
    }

    public static void premain(String argument, Instrumentation instrumentation) {
        String[] parts = argument.split(":", 2);
        Class<?> advice = parts[0].equals("calls") ? Counting.class : Timing.class;
        new AgentBuilder.Default()
                .type(ElementMatchers.nameMatches(parts[1]))
                .transform((builder, type, loader, module, domain) -> builder.visit(
                        Advice.withCustomMapping().bind(Id.class, new Numbers()).to(advice).on(ElementMatchers.isMethod().and(ElementMatchers.not(ElementMatchers.isAbstract())))))
                .installOn(instrumentation);
    }
}
