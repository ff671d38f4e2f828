/** Prints its arguments and one property, and exits with the status that another property gives. */
public class Hello {
    public static void main(String[] args) {
        System.out.println("hello " + String.join(" ", args) + " " + System.getProperty("given"));
        int status = Integer.getInteger("status", 0);
        if (status != 0)
            System.exit(status);
    }
}
