package five;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import subject.Subject;

class FiveTest {
    private final Subject subject = new Subject();

    @BeforeEach
    void prepare() {
        Subject.Prepared.before();
    }

    @Test
    void plain() {
        assertEquals(2, subject.plain());
    }

    @RepeatedTest(2)
    void alone() {
        assertEquals(1, Subject.Lonely.alone());
    }

    @Test
    void fails() {
        assertEquals(0, subject.failing());
    }

    @Test
    void throwing() {
        assertThrows(IllegalStateException.class, subject::throwing);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parameters(int n) {
        subject.parameter(n);
    }

    @Disabled
    @Test
    void never() {
        subject.plain();
    }

    @Nested
    class Inner {
        @Test
        void nested() {
            assertEquals(4, subject.nested());
        }
    }
}
