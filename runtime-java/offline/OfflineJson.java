package instr.runtime;

/** A result as instr/report/methods.c writes it; `instr report` prints it. */
final class OfflineJson {
    private static final String[] KEYS = {
        "calls", "thrown", "total_ns", "self_ns", "min_ns", "max_ns", "p50_ns", "p90_ns", "p99_ns"
    };

    private OfflineJson() {}

    static String of(String pass, boolean timed, OfflineRow[] rows) {
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
            row.calls, Math.max(0, row.thrown), row.total, row.self, row.timed == 0 ? 0 : row.min, row.max,
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
