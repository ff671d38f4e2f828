import java.io.BufferedReader;
import java.io.InputStreamReader;

/** For each line read from standard input: 100 turns of Owners, and a reply. Ends at the end of the input. */
public final class OwnersAttached {
    private OwnersAttached() {}

    public static void main(String[] args) throws Exception {
        Owners.work(100);
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            Owners.work(100);
            System.out.println("round");
        }
    }
}
