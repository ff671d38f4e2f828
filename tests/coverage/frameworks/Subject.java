package subject;

/** What the tests of the frameworks call. The words behind the lines are those that tests/coverage/presets looks for. */
public class Subject {
    public int plain() {
        return 2; // plain
    }

    public int parameter(int n) {
        if (n > 1)
            return n; // large parameter
        return -n; // small parameter
    }

    public int failing() {
        return 5; // failing
    }

    public int throwing() {
        throw new IllegalStateException("thrown on purpose"); // throwing
    }

    public int nested() {
        return 4; // nested
    }

    public int dynamic() {
        return 3; // dynamic
    }

    public int theory(int n) {
        return n; // theory
    }

    public int fixed() {
        return 7; // fixed
    }

    public int old() {
        return 8; // old
    }

    public int inherits() {
        return 9; // inheriting
    }

    public int composed() {
        return 10; // composed
    }

    public int making() {
        return 11; // making
    }

    /** Only one test needs this class. */
    public static class Lonely {
        public static int alone() {
            return 1; // alone
        }
    }

    /** No test by itself, but what runs before each. */
    public static class Prepared {
        public static int before() {
            return 0; // before
        }
    }
}
