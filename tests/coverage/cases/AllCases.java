/** Runs the main methods of the classes named. */
public final class AllCases {
    private AllCases() {}

    public static void main(String[] names) throws Throwable {
        for (String name : names)
            Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
