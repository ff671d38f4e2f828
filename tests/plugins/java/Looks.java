import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;

/** Classes whose supertypes the plug-in `looks` asks for. Each is loaded when it is first used. */
public class Looks {
    interface Job {}

    interface Task extends Job {}

    abstract static class Base implements Task {}

    /** When it is loaded none of its supertypes is. */
    static class First extends Base {
        void go() {}
    }

    static class Second extends First {
        @Override
        void go() {}
    }

    static class Other extends ArrayList<String> {
        void go() {}
    }

    static class Absent extends Base {
        static void never() {}
    }

    /** Asks about the classes that it calls. */
    static class Caller {
        static void calls(First first, ArrayList<String> list, boolean absent) {
            first.go();
            list.size();
            if (absent) Absent.never();
        }
    }

    public static void main(String[] args) throws Exception {
        new First().go();
        new Second().go();
        new Other().go();
        Caller.calls(new First(), new ArrayList<String>(), false);
        URL url = Looks.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader loader = new URLClassLoader(new URL[] {url}, null)) {
            Class<?> there = loader.loadClass("Looks$Other");
            Constructor<?> make = there.getDeclaredConstructor();
            make.setAccessible(true);
            Method go = there.getDeclaredMethod("go");
            go.setAccessible(true);
            go.invoke(make.newInstance());
        }
        System.out.println("done");
    }
}
