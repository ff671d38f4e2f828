/** Runs the main methods of the classes named, one after the other, whatever they throw. */
public class Each {
    public static void main(String[] names) {
        for (String name : names)
            try {
                Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            } catch (Exception e) {
                System.out.println(name + ": " + e.getCause());
            }
    }
}
