package acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OrdersTest {
    @Test
    public void large() {
        assertEquals(110, Main.order(10, 200));
        assertEquals(1400, Main.order(1500, 1500));
    }
}
