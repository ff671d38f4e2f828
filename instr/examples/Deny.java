// A kit: a deny-list for deserialization. Descriptors of classes pass here in every stream, also in those that find
// classes in a way of their own. Nothing of the object has been made by then.
//
//      javac -g -cp $(instr kit jar) -d classes Deny.java
//      jar cf deny.jar -C classes .
//      instr run kit=deny.jar -- java -jar app.jar

import instr.kit.Advice;
import instr.kit.Arg;
import java.io.InvalidClassException;
import java.io.ObjectStreamClass;

@Advice(value = "java.io.ObjectStreamClass.initNonProxy(..)", rethrow = InvalidClassException.class)
final class Deny {
    static void enter(@Arg(0) ObjectStreamClass descriptor) throws InvalidClassException {
        String name = descriptor.getName();
        if (denied(name)) throw new InvalidClassException(name, "denied");
    }

    // In code: reflection can change what is in fields.
    private static boolean denied(String name) {
        return name.startsWith("org.apache.commons.collections.functors.")
                || name.startsWith("org.codehaus.groovy.runtime.")
                || name.startsWith("com.sun.org.apache.xalan.internal.xsltc.")
                || name.equals("com.sun.rowset.JdbcRowSetImpl")
                || name.equals("com.acme.Gadget");
    }
}
