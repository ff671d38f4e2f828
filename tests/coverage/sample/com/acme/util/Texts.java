package com.acme.util;

public final class Texts {
    private Texts() {
    }

    public static String quote(String text) {
        return text == null ? "null" : '"' + text + '"'; // "quoted" & <escaped>
    }

    public static String indent(String text, int n) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < n; i++)
            s.append(' ');
        return s + text;
    }
}
