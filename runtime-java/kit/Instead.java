package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a static method of an advice with {@code calls = true}: it is called instead of the advised method. Parameters are
 * bound as in {@code enter}; {@link This} is the object whose method is called. It returns what the caller gets.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Instead {
}
