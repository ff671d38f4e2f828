package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A field of the advised class, private or not, of this object or static. The parameter has the type of the field, or
 * Object for any type but a primitive one. In {@code enter} of constructors only static fields can be read.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.PARAMETER)
public @interface Field {
    /** The name of the field. */
    String value();
}
