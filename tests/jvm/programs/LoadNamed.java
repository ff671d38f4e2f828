/** Loads each named class and prints the exact result. */
public class LoadNamed {
    public static void main(String[] args) {
        for (String name : args)
            try {
                System.out.println(name + ": " + Class.forName(name));
            } catch (Throwable t) {
                System.out.println(name + ": " + t);
            }
        System.out.println("end");
    }
}
