package shop;

import org.aspectj.lang.JoinPoint;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Before;

/** Woven into Main by AspectJ when it is loaded. */
@Aspect
public class Trace {
    @Before("execution(* shop.Main.*(..)) || call(* shop.Main.*(..)) || get(* shop.Main.*)")
    public void before(JoinPoint point) {
        System.setProperty("woven", "true");
    }
}
