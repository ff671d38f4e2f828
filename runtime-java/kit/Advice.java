package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A class whose static methods are called where other methods are entered and left.
 * <pre>
 * &#64;Advice("java.sql.Statement+.execute*(String, ..)")
 * final class Sql {
 *     static long enter() { return System.nanoTime(); }
 *     static void exit(&#64;Enter long start, &#64;Arg(0) String sql, &#64;Thrown Throwable t) { ... }
 * }
 * </pre>
 * The methods, all optional, but at least one is there:
 * <ul>
 * <li>{@code enter}: before the method runs. What it returns is kept for the others ({@link Enter}).
 * <li>{@code constructed}: in a constructor, after its call of {@code super()} or {@code this()}. Where that call throws
 * an exception, {@code constructed} is not called.
 * <li>{@code returned}: after it returned. If it is not void, its result replaces that of the method.
 * <li>{@code thrown}: after it threw an exception.
 * <li>{@code exit}: after either.
 * <li>a method with {@link Instead}: in place of a call.
 * </ul>
 * Their parameters are bound by annotation; those without one are the arguments of the advised method in their order.
 * Exceptions of an advice do not reach the application, except those that {@link #rethrow} names: they are counted, and
 * the advised method goes on.
 * <p>
 * An advice class extends Object, and its methods are static and not private. It may use other classes of its jar, the
 * JDK's, and all that the advised class can use; classes of its jar may extend and implement only each other and classes
 * of java.base (a lambda may implement any interface).
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface Advice {
    /**
     * The methods: {@code CLASS.METHOD(TYPES)}, {@code CLASS+.METHOD(TYPES)} for those of all classes that extend or
     * implement CLASS, too. In the class, * is any run of characters but dots and ** any run; in the method, * is any run.
     * Types are written as in Java, with or without packages; * is any type, and .. any number of them. Without
     * parentheses all overloads match. A constructor is {@code CLASS.<init>}. Required, unless {@link #annotated} or
     * {@link #annotatedClass} is there.
     */
    String[] value() default {};

    /**
     * Alternative names of one library: {@code "javax.servlet|jakarta.servlet"}. The advice is compiled against the first
     * one, and is there once for each: names that begin with it, in the advice and its patterns, are replaced.
     */
    String types() default "";

    /** Only methods with an annotation whose class matches this pattern. */
    String annotated() default "";

    /** Only methods of classes with an annotation whose class matches this pattern. */
    String annotatedClass() default "";

    /** Only classes whose loader is of a class that matches this pattern; {@code "boot"}: the bootstrap loader. */
    String loader() default "";

    /** Calls of the methods are advised, in the code that calls them, and not the methods themselves. */
    boolean calls() default false;

    /** With {@link #calls}, which needs it: the classes that call. */
    String callers() default "";

    /** Only the outermost of the calls on a thread's stack that this advice would see. */
    boolean outermost() default false;

    /** A program does not start with this advice, and a command fails, if there is no method for it. */
    boolean required() default false;

    /** Exceptions that the advice throws on purpose, with what extends them: they reach the application. */
    Class<? extends Throwable>[] rethrow() default {};
}
