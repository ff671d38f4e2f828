package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What the advice's {@code enter} returned for this call, in {@code constructed}, {@code returned}, {@code thrown}
 * and {@code exit}. If {@code enter} failed, it is null or 0.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Enter {
}
