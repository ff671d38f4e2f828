package instr.runtime;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** What is told at the end, in the words of instr/report/table.c and instr/report/report.c. */
final class OfflineText {
    private static final String[] HEADS = {"calls", "thrown", "total", "self", "min", "p50", "p90", "p99", "max"};
    private static final String[] KEYS = {
        "calls", "thrown", "total_ns", "self_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns"
    };
    private static final String[] UNITS = {"ns", "us", "ms", "s"};
    private static final String LETTERS = "BCDFIJSZ";
    private static final String[] WORDS = {"byte", "char", "double", "float", "int", "long", "short", "boolean"};

    private OfflineText() {}

    // --- the table ---

    static void table(StringBuilder out, String pass, boolean timed, OfflineRow[] rows, int top) {
        int shown = Math.min(top, rows.length), columns = timed ? HEADS.length : 2;
        totals(out, pass, timed, rows, shown);
        if (shown == 0) return;
        String[][] cells = new String[shown + 1][];
        int[] widths = new int[columns];
        cells[0] = HEADS;
        for (int i = 0; i < shown; i++) cells[i + 1] = cells(rows[i], columns);
        for (int i = 0; i <= shown; i++) {
            for (int c = 0; c < columns; c++) widths[c] = Math.max(widths[c], cells[i][c].length());
        }
        for (int i = 0; i <= shown; i++) {
            for (int c = 0; c < columns; c++) {
                for (int n = cells[i][c].length() - 2; n < widths[c]; n++) out.append(' ');
                out.append(cells[i][c]);
            }
            out.append("  ");
            if (i == 0) out.append("method");
            else method(out, rows[i - 1]);
            out.append('\n');
        }
    }

    private static void totals(StringBuilder out, String pass, boolean timed, OfflineRow[] rows, int shown) {
        long calls = 0, thrown = 0, self = 0;
        for (int i = 0; i < rows.length; i++) {
            calls += rows[i].calls;
            thrown += Math.max(0, rows[i].thrown);
            self += rows[i].self;
        }
        out.append(pass).append(": ").append(number(rows.length)).append(rows.length == 1 ? " method, " : " methods, ");
        out.append(number(calls)).append(calls == 1 ? " call, " : " calls, ");
        out.append(number(thrown)).append(" thrown");
        if (timed) out.append(", ").append(duration(self)).append(" in all");
        if (shown < rows.length) out.append("; the top ").append(number(shown)).append(':');
        out.append('\n');
    }

    private static String[] cells(OfflineRow row, int columns) {
        String[] cells = new String[columns];
        long[] times = {row.total, row.self, least(row), row.percentile(50), row.percentile(90), row.percentile(99), row.max};
        cells[0] = number(row.calls);
        cells[1] = number(Math.max(0, row.thrown));
        for (int c = 2; c < columns; c++) cells[c] = duration(times[c - 2]);
        return cells;
    }

    private static long least(OfflineRow row) {
        return row.timed == 0 ? 0 : row.min;
    }

    static String number(long number) {
        StringBuilder text = new StringBuilder(Long.toString(number));
        for (int i = text.length() - 3; i > 0; i -= 3) text.insert(i, ',');
        return text.toString();
    }

    /** Three digits and a unit. */
    static String duration(long ns) {
        if (ns < 1000) return ns + " ns";
        double value = ns;
        int unit = 0;
        // 999.5 would be rounded to 1000.
        for (; value >= 999.5 && unit < 3; unit++) value /= 1000;
        int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_EVEN).toPlainString() + " " + UNITS[unit];
    }

    // --- names ---

    private static void method(StringBuilder out, OfflineRow row) {
        shown(out, row.className.replace('/', '.'));
        out.append('.');
        shown(out, row.method);
        String d = row.descriptor;
        out.append('(');
        for (int i = 1; i < d.length() && d.charAt(i) != ')'; ) {
            if (i > 1) out.append(", ");
            i = type(out, d, i);
        }
        out.append(')');
    }

    /** A type as Java writes it, classes without their package. Gives where it ends. */
    private static int type(StringBuilder out, String d, int at) {
        int dimensions = 0;
        while (d.charAt(at) == '[') {
            at++;
            dimensions++;
        }
        int end = at + 1;
        if (d.charAt(at) == 'L') {
            end = d.indexOf(';', at) + 1;
            shown(out, d.substring(Math.max(at, d.lastIndexOf('/', end - 1)) + 1, end - 1));
        } else {
            out.append(WORDS[LETTERS.indexOf(d.charAt(at))]);
        }
        for (int i = 0; i < dimensions; i++) out.append("[]");
        return end;
    }

    /** Without characters that do something to what is around them. */
    private static void shown(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean tricks = c < ' ' || (c >= 127 && c < 160) || (c >= 0x200B && c <= 0x200F)
                    || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
            out.append(tricks ? '?' : c);
        }
    }

    // --- the file ---

    static String json(String pass, boolean timed, OfflineRow[] rows) {
        StringBuilder out = new StringBuilder("{\n  ");
        pair(out, "pass", pass).append(",\n  ");
        pair(out, "jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        out.append(",\n  \"methods\": [");
        for (int i = 0; i < rows.length; i++) {
            out.append(i == 0 ? "\n    {" : ",\n    {");
            pair(out, "class", rows[i].className.replace('/', '.')).append(", ");
            pair(out, "method", rows[i].method).append(", ");
            pair(out, "descriptor", rows[i].descriptor);
            figures(out, timed, rows[i]);
            out.append('}');
        }
        out.append(rows.length == 0 ? "],\n" : "\n  ],\n");
        return out.append("  \"skipped\": []\n}\n").toString();
    }

    private static void figures(StringBuilder out, boolean timed, OfflineRow row) {
        long[] values = {
            row.calls, Math.max(0, row.thrown), row.total, row.self, least(row), row.max,
            row.percentile(50), row.percentile(90), row.percentile(99)
        };
        for (int i = 0; i < (timed ? values.length : 2); i++) {
            out.append(", \"").append(KEYS[i]).append("\": ").append(values[i]);
        }
    }

    private static StringBuilder pair(StringBuilder out, String key, String text) {
        out.append('"').append(key).append("\": \"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < ' ' || c == 127) out.append("\\u00").append(c < 16 ? "0" : "").append(Integer.toHexString(c));
            else out.append(isLone(text, i) ? '\uFFFD' : c);
        }
        return out.append('"');
    }

    private static boolean isLone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }
}
