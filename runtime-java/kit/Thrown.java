package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The exception that the advised method throws, in {@code thrown} and {@code exit}. In {@code exit} it is null if the
 * method returned. The parameter is a Throwable.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Thrown {
}
