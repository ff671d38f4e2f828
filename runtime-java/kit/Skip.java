package instr.kit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On {@code enter}: if it returns true, or an object that is not null, the advised method does not run. It then returns
 * null or 0, unless {@code returned} gives it another result:
 * <pre>
 *     &#64;Skip static Price enter(String item) { return CACHE.get(item); }
 *     static Price returned(&#64;Enter Price cached, &#64;Result Price p) { return cached != null ? cached : p; }
 * </pre>
 * Constructors cannot be skipped.
 */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Skip {
}
