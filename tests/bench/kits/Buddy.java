import java.lang.instrument.Instrumentation;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;

/** The same advice by Byte Buddy: of one method of Calls, or ten of the methods of Ten (argument "ten"). */
public final class Buddy {
    private Buddy() {}

    public static final class Empty {
        @Advice.OnMethodEnter
        static void enter() {}

        @Advice.OnMethodExit(onThrowable = Throwable.class)
        static void exit() {}
    }

    public static void premain(String argument, Instrumentation instrumentation) {
        boolean ten = "ten".equals(argument);
        AgentBuilder agent = new AgentBuilder.Default();
        for (int i = 0; i < (ten ? 10 : 1); i++) {
            String method = ten ? "m" + i : "advised";
            agent = agent.type(ElementMatchers.named(ten ? "Ten" : "Calls"))
                    .transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Empty.class).on(ElementMatchers.named(method))));
        }
        agent.installOn(instrumentation);
    }
}
