/** For each line read: lists a folder, for which a native method makes an array and strings. */
public class Folder {
    public static void main(String[] args) throws Exception {
        java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        while (in.readLine() != null) System.out.println(new java.io.File(args[0]).list().length);
    }
}
