package com.acme;

/** The program of instr/RULES.md. It prints how many orders failed. */
public class Shop {
    static final class Cart {
        private final String country;
        private final long weight;

        Cart(String country, long weight) {
            this.country = country;
            this.weight = weight;
        }
    }

    static final class Receipt {
        private final double total;

        Receipt(double total) {
            this.total = total;
        }
    }

    private final Cache cache = new Cache();

    Receipt order(Cart cart, int items) {
        if (items == 0) throw new IllegalArgumentException("nothing");
        String found = cache.get(cart.country);
        if (found == null) cache.put(cart.country, "there");
        return new Receipt(items * 300);
    }

    String find(String key) {
        return key;
    }

    public static void main(String[] args) {
        Shop shop = new Shop();
        String[] countries = {"DE", "FR", "XX", "IT"};
        int failed = 0;
        for (int i = 0; i < 2000; i++) {
            try {
                shop.order(new Cart(countries[i % 4], i), i % 5);
            } catch (IllegalArgumentException expected) {
                failed++;
            } catch (IllegalStateException byTheRule) {
                failed += 10000;
            }
            shop.find(i % 2 == 0 ? "user-" + i : "robot-" + i);
        }
        System.out.println(failed);
    }
}
