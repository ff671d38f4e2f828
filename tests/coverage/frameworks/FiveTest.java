package five;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
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

    @TestFactory
    Stream<DynamicTest> dynamic() {
        Executable fails = () -> assertEquals(0, subject.dynamic());
        return Stream.of(DynamicTest.dynamicTest("passes", () -> assertEquals(3, subject.dynamic())), DynamicTest.dynamicTest("fails", fails));
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

    @Retention(RetentionPolicy.RUNTIME)
    @Tag("fast")
    @Test
    @interface Fast {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Faster
    @Fast
    @interface Faster {
    }

    @Retention(RetentionPolicy.RUNTIME)
    @TestFactory
    @interface Makes {
    }

    @Faster
    void composed() {
        assertEquals(10, subject.composed());
    }

    @Makes
    Stream<DynamicTest> making() {
        return Stream.of(DynamicTest.dynamicTest("made", () -> assertEquals(11, subject.making())));
    }
}
