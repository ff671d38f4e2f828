package ng;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;
import subject.Subject;

public class NgTest {
    private final Subject subject = new Subject();

    @BeforeMethod
    public void prepare() {
        Subject.Prepared.before();
    }

    @Test
    public void plain() {
        assertEquals(subject.plain(), 2);
    }

    @Test(invocationCount = 2)
    public void alone() {
        assertEquals(Subject.Lonely.alone(), 1);
    }

    @Test
    public void fails() {
        assertEquals(subject.failing(), 0);
    }

    @Test(expectedExceptions = IllegalStateException.class)
    public void throwing() {
        subject.throwing();
    }

    @DataProvider(name = "numbers")
    public Object[][] numbers() {
        return new Object[][] {{1}, {2}};
    }

    @Test(dataProvider = "numbers")
    public void parameters(int n) {
        subject.parameter(n);
    }

    @Test(enabled = false)
    public void never() {
        subject.plain();
    }

    @Test
    public static class OfClass {
        @BeforeMethod
        public void prepare() {
            Subject.Prepared.before();
        }

        @DataProvider(name = "none")
        public Object[][] none() {
            return new Object[0][];
        }

        public void nested() {
            assertEquals(new Subject().nested(), 4);
        }

        public static void fixed() {
            assertEquals(new Subject().fixed(), 7);
        }

        public int result() {
            return new Subject().plain();
        }

        void helper() {
            new Subject().plain();
        }
    }

    @Test
    public abstract static class Above {
        final Subject subject = new Subject();
    }

    public abstract static class Between extends Above {
    }

    public static class OfAbove extends Between {
        @BeforeMethod
        public void prepare() {
            Subject.Prepared.before();
        }

        public void inherits() {
            assertEquals(subject.inherits(), 9);
        }
    }
}
