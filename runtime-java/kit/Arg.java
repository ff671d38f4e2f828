package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * An argument of the advised method, by its number, from 0. Parameters without an annotation are the arguments in their
 * order.
 * <p>
 * The parameter has the argument's type, or Object for any type but a primitive one. In {@code enter} it may be a
 * {@link Holder} of that type, with which the advice replaces the argument.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Arg {
    int value();
}
