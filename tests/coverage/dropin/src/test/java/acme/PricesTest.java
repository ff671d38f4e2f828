package acme;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PricesTest {
    @Test
    public void addsUp() {
        assertEquals(13, new Prices().add(3, Prices.Kind.PLAIN).add(20, Prices.Kind.REDUCED).total());
    }

    @Test(expected = IllegalArgumentException.class)
    public void refusesWhatIsNegative() {
        new Prices().add(-1, Prices.Kind.PLAIN);
    }

    @Test
    public void hasNames() {
        Prices prices = new Prices().add(70, Prices.Kind.PLAIN);
        assertEquals("nothing", prices.name(0));
        assertEquals("much", prices.name(7));
    }
}
