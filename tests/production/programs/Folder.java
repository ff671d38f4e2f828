/** For each line read: lists a folder, for which a native method creates an array and strings; "put" and "look" are for jni_functions.c. */
public class Folder {
    static native int version(boolean first);

    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            boolean first = line.equals("put");
            System.out.println(first || line.equals("look") ? version(first) : new java.io.File(args[0]).list().length);
        }
    }
}
