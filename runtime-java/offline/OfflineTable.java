package instr.runtime;

import java.util.ArrayList;

/** What a rewritten file registers: identity, passes, options, the range of its ids, and its methods in several strings. */
final class OfflineTable {
    /** The lowest id in the file, its number here, and how many ids there are. */
    final int first, base, length;

    final String[] passes;
    final boolean[] timed;
    final ArrayList<String> options;
    private final String[] rows;

    OfflineTable(String[] rows, int start) {
        this.rows = rows;
        String[] words = rows[1].split("\\.");
        passes = new String[words.length / 2];
        timed = new boolean[words.length / 2];
        for (int i = 0; i < passes.length; i++) {
            passes[i] = words[2 * i];
            timed[i] = words[2 * i + 1].equals("1");
        }
        options = split(rows[2]);
        String[] range = rows[3].split("\\.");
        first = Integer.parseInt(range[0]);
        length = Integer.parseInt(range[1]) - first;
        base = start;
    }

    /** Options as instr_options_format writes them: a backslash quotes the character after it. */
    private static ArrayList<String> split(String text) {
        ArrayList<String> items = new ArrayList<String>();
        StringBuilder item = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ',') {
                items.add(item.toString());
                item.setLength(0);
            } else {
                item.append(c == '\\' && i + 1 < text.length() ? text.charAt(++i) : c);
            }
        }
        items.add(item.toString());
        return items;
    }

    /** The value of an option, null: it was not given. */
    String option(String key) {
        for (int i = 0; i < options.size(); i++) {
            if (options.get(i).startsWith(key + "=")) return options.get(i).substring(key.length() + 1);
        }
        return null;
    }

    /** The fields of all classes one after the other: class name, number of methods, and of each first id, name, descriptor. */
    String[] fields() {
        StringBuilder text = new StringBuilder();
        for (int i = 4; i < rows.length; i++) text.append(rows[i]);
        return text.toString().split("\\.");
    }
}
