package suite;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.fail;

import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.FixMethodOrder;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runners.MethodSorters;

/** A test suite as there are many: JUnit 4 with tests that pass, fail, throw and are left out. */
@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class SuiteTest {
    private List<String> list;

    @Before
    public void setUp() {
        list = new ArrayList<>();
        list.add("one");
    }

    @Test
    public void adds() {
        list.add("two");
        assertEquals(2, list.size());
    }

    @Test(expected = IndexOutOfBoundsException.class)
    public void beyond() {
        list.get(7);
        fail("not reached");
    }

    @Test
    public void branches() {
        for (int i = 0; i < 5; i++) assertEquals(i % 2 == 0 ? "even" : "odd", Subject.parity(i));
    }

    @Test
    public void fails() {
        assertEquals("three", Subject.word(4));
        list.clear();
    }

    @Ignore
    @Test
    public void ignored() {
        list.add("never");
    }

    @Test
    public void throwing() {
        assertThrows(IllegalStateException.class, () -> Subject.word(-1));
    }

    static final class Subject {
        static String parity(int n) {
            return n % 2 == 0 ? "even" : "odd";
        }

        static String word(int n) {
            if (n < 0 || n > 100 && n != 200) throw new IllegalStateException("word " + n);
            switch (n) {
                case 0:
                    return "none";
                case 1:
                case 2:
                    return "few";
                default:
                    return n == 3 ? "three" : "many";
            }
        }
    }
}
