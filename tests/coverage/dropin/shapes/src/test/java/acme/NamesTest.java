package acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class NamesTest {
    @Test
    public void one() {
        assertEquals("one", new Prices().name(1));
    }
}
