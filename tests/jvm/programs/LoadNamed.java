/** Loads each class named and prints what comes of it, to the letter. */
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
