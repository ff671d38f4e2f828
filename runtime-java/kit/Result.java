package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The result of the advised method, in {@code returned} and {@code exit}. The parameter has the type of the result, or
 * Object for any type but a primitive one. In {@code exit} it is null or 0 if the method threw an exception.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Result {
}
