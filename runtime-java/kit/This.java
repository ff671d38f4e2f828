package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The object whose method is advised: null in static methods, and in {@code enter} of constructors, where
 * {@code constructed} has it. The parameter has its class as type, or Object.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface This {
}
