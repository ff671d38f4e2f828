package instr.runtime;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;

/** Merges the results of all rewritten files and writes a file (JSON) for each pass. */
final class OfflineReport {
    private final Collection<OfflineTable> tables;

    /** The passes, and whether they take times. */
    private final LinkedHashMap<String, Boolean> passes = new LinkedHashMap<String, Boolean>();

    OfflineReport(Collection<OfflineTable> tables) {
        this.tables = tables;
        for (OfflineTable table : tables) {
            for (int i = 0; i < table.passes.length; i++) passes.put(table.passes[i], table.timed[i]);
        }
    }

    void write() {
        for (String pass : passes.keySet()) {
            if (pass.equals("coverage")) continue; // OfflineCoverage writes it
            try {
                write(pass, passes.get(pass));
            } catch (Throwable failed) {
                say("instr: " + pass + ": the result is lost: " + failed);
            }
        }
    }

    /** Without a name, the file lies in the working directory, so that no result is lost. */
    private void write(String pass, boolean timed) throws Exception {
        OfflineRow[] rows = gather(pass);
        Arrays.sort(rows);
        String file = option(pass + ".file"), path = expand(file == null ? pass + "-%p.json" : file);
        write(path, OfflineJson.of(pass, timed, rows));
        say("instr: " + pass + ": written to " + path + "; to print it: instr report " + path);
    }

    /** A system property, or else the option given when a file was rewritten, of the first file that has it; null: neither. */
    String option(String key) {
        String value = null;
        try {
            value = System.getProperty("instr." + key);
        } catch (SecurityException hidden) {
            // As if it was not set.
        }
        for (OfflineTable table : tables) {
            if (value == null) value = table.option(key);
        }
        return value;
    }

    /** The methods that were called, each once, however many files and class loaders have it. */
    private OfflineRow[] gather(String pass) {
        HashMap<String, OfflineRow> found = new HashMap<String, OfflineRow>();
        for (OfflineTable table : tables) {
            int which = Arrays.asList(table.passes).indexOf(pass);
            if (which >= 0) gather(table, which, found);
        }
        return found.values().toArray(new OfflineRow[0]);
    }

    private static void gather(OfflineTable table, int which, HashMap<String, OfflineRow> found) {
        String[] fields = table.fields();
        // A class that a file has for several versions of the JDK has its methods once.
        BitSet seen = new BitSet(table.length);
        for (int i = 0; i + 1 < fields.length; ) {
            String className = fields[i++];
            int methods = Integer.parseInt(fields[i++]);
            for (int m = 0; m < methods; m++, i += 3) {
                int number = Integer.parseInt(fields[i]) + which - table.first, id = number + table.base;
                if (seen.get(number)) continue;
                seen.set(number);
                OfflineRow row = Offline.TOTALS.get(id);
                if (row == null || row.calls == 0) continue;
                String key = className + '.' + fields[i + 1] + fields[i + 2];
                OfflineRow sum = found.get(key);
                if (sum == null) found.put(key, sum = new OfflineRow());
                sum.className = className;
                sum.method = fields[i + 1];
                sum.descriptor = fields[i + 2];
                sum.add(row);
            }
        }
    }

    private static boolean isEncoded(String text, int percent) {
        return percent + 2 < text.length() && Character.digit(text.charAt(percent + 1), 16) >= 0 && Character.digit(text.charAt(percent + 2), 16) >= 0;
    }

    /** %p is the process id, %% a percent sign; one before two hexadecimal digits stands for itself. */
    static String expand(String pattern) throws Exception {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < pattern.length(); i++) {
            char c = pattern.charAt(i);
            if (c != '%' || i + 1 == pattern.length() || isEncoded(pattern, i)) name.append(c);
            else if (pattern.charAt(++i) == 'p') name.append(new File("/proc/self").getCanonicalFile().getName());
            else name.append(pattern.charAt(i));
        }
        return name.toString();
    }

    /**
     * Written under another name, then renamed: the file is there whole or not at all. A file that cannot be replaced, as one that is
     * mounted by itself, or one in a folder in which this process may not make files, is overwritten.
     */
    private static void write(String path, String text) throws Exception {
        byte[] bytes = text.getBytes("UTF-8");
        File file = new File(path).getAbsoluteFile();
        if (file.exists() && !file.isFile()) {
            store(file, bytes);
            return;
        }
        if (file.exists()) file = file.getCanonicalFile();
        File temporary = new File(file.getParentFile(), ".instr-" + expand("%p") + "-" + System.nanoTime() + ".tmp");
        try {
            store(temporary, bytes);
            Files.move(temporary.toPath(), file.toPath(), StandardCopyOption.ATOMIC_MOVE);
        } catch (FileNotFoundException | FileSystemException reason) {
            if (!file.canWrite()) throw reason;
            store(file, bytes);
        } finally {
            temporary.delete();
        }
    }

    private static void store(File file, byte[] bytes) throws Exception {
        FileOutputStream out = new FileOutputStream(file);
        try {
            out.write(bytes);
        } finally {
            out.close();
        }
    }

    /** To standard error, even if the program has replaced System.err. */
    static void say(String line) {
        try {
            new FileOutputStream(FileDescriptor.err).write((line + "\n").getBytes("UTF-8"));
        } catch (Throwable closed) {
            // Nothing is left to write to.
        }
    }
}
