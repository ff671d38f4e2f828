package com.acme.shop;

import com.acme.util.Texts;
import java.util.ArrayList;
import java.util.List;

/** A shop with <b>carts</b> & "quotes". */
public class Shop {
    private final List<Item> items = new ArrayList<>();

    enum Kind { BOOK, TOY, FOOD }

    static class Item {
        final String name;
        final Kind kind;
        final int price;

        Item(String name, Kind kind, int price) {
            this.name = name;
            this.kind = kind;
            this.price = price;
        }
    }

    void add(String name, Kind kind, int price) {
        if (price < 0 || name == null) {
            throw new IllegalArgumentException("bad <script>alert(1)</script> " + name);
        }
        items.add(new Item(name, kind, price));
    }

    int tax(Item item) {
        switch (item.kind) {
        case BOOK:
            return item.price * 7 / 100;
        case TOY:
            return item.price * 19 / 100;
        default:
            return 0;
        }
    }

    int total() {
        int sum = 0;
        for (Item item : items) {
            sum += item.price + tax(item);
        }
        return sum > 100 ? sum - sum / 10 : sum;
    }

    void never() {
        Runnable r = () -> System.out.println("never");
        r.run();
        while (items.size() > 3) {
            items.remove(0);
        }
    }

    static int fail(String text) {
        return check(text).length();
    }

    static String check(String text) {
        throw new IllegalStateException(Texts.quote(text));
    }

    public static void main(String[] args) {
        Shop shop = new Shop();
        for (int i = 0; i < 1000; i++) {
            shop.add("book " + i, i % 2 == 0 ? Kind.BOOK : Kind.TOY, i);
        }
        System.out.println(shop.total());
        try {
            fail("x");
        } catch (IllegalStateException e) {
            System.out.println(e.getMessage());
        }
    }
}
