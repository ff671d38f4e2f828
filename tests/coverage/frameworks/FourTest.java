package four;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collection;
import junit.framework.TestCase;
import org.junit.Before;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.experimental.theories.DataPoints;
import org.junit.experimental.theories.Theories;
import org.junit.experimental.theories.Theory;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import subject.Subject;

@RunWith(Enclosed.class)
public class FourTest {
    public static class Simple {
        private final Subject subject = new Subject();

        @Before
        public void prepare() {
            Subject.Prepared.before();
        }

        @Test
        public void plain() {
            assertEquals(2, subject.plain());
        }

        @Test
        public void alone() {
            assertEquals(1, Subject.Lonely.alone());
        }

        @Test
        public void fails() {
            assertEquals(0, subject.failing());
        }

        @Test(expected = IllegalStateException.class)
        public void throwing() {
            subject.throwing();
        }

        @Test(timeout = 10000) // on a thread of its own
        public void nested() {
            assertEquals(4, subject.nested());
        }

        @Ignore
        @Test
        public void never() {
            subject.plain();
        }
    }

    @RunWith(Parameterized.class)
    public static class Parameters {
        private final int n;

        public Parameters(int n) {
            this.n = n;
        }

        @Parameterized.Parameters
        public static Collection<Object[]> numbers() {
            return Arrays.asList(new Object[] {1}, new Object[] {2});
        }

        @Test
        public void parameters() {
            new Subject().parameter(n);
        }
    }

    @RunWith(Theories.class)
    public static class Theorems {
        @DataPoints
        public static int[] numbers = {1, 2};

        @Theory
        public void theory(int n) {
            new Subject().theory(n);
        }
    }

    public abstract static class OldBase extends TestCase {
        private Subject subject;

        @Override
        protected void setUp() {
            subject = new Subject();
            Subject.Prepared.before();
        }

        Subject subject() {
            return subject;
        }
    }

    public static class Old extends OldBase {
        public void testOld() {
            assertEquals(8, subject().old());
        }

        public int testNumber() {
            return subject().plain();
        }
    }
}
