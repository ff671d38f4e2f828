package t;

/** The superclass of the verifier's test cases. */
public class S {
    int x;
}
