package java.lang;

import java.io.File;
import java.lang.reflect.Array;
import java.util.HashSet;

/** A field or getter that a rule reads, or the patterns that it compares with. */
final class InstrRulePlace {
    private static final int PATTERNS = 2, CLASSES = 16;

    private final String text;

    /** Classes that were asked, by their hash codes, and where their fields are. Weak: their loaders may end. */
    private final InstrRuleField[] known = new InstrRuleField[CLASSES];

    private final HashSet<String> words = new HashSet<String>();
    private final String[] patterns;

    InstrRulePlace(String text, int kind) {
        this.text = text;
        this.patterns = kind == PATTERNS ? split(text) : null;
    }

    private String[] split(String all) {
        java.util.ArrayList<String> found = new java.util.ArrayList<String>();
        for (int from = 0, to; from <= all.length(); from = to + 1) {
            for (to = from; to < all.length() && all.charAt(to) != '\n' && all.charAt(to) != '|'; ) to++;
            String one = all.substring(from, to).trim();
            if (one.isEmpty() || one.charAt(0) == '#') continue;
            if (one.indexOf('*') < 0) words.add(one);
            else found.add(one);
        }
        return found.toArray(new String[found.size()]);
    }

    boolean matches(String value) {
        if (words.contains(value)) return true;
        for (String pattern : patterns) if (glob(pattern, value)) return true;
        return false;
    }

    /** Where * is any run of characters. */
    private static boolean glob(String p, String s) {
        int i = 0, k = 0, star = -1, mark = 0;
        while (k < s.length()) {
            if (i < p.length() && p.charAt(i) == '*') {
                star = i++;
                mark = k;
            } else if (i < p.length() && p.charAt(i) == s.charAt(k)) {
                i++;
                k++;
            } else if (star >= 0) {
                i = star + 1;
                k = ++mark;
            } else {
                return false;
            }
        }
        while (i < p.length() && p.charAt(i) == '*') i++;
        return i == p.length();
    }

    private InstrRuleField find(Object holder) throws Throwable {
        Class<?> type = holder.getClass();
        int at = System.identityHashCode(type) & CLASSES - 1;
        InstrRuleField place = known[at];
        if (place != null && place.type.get() == type) return place;
        return known[at] = InstrRuleLook.find(type, text);
    }

    /** Java writes the length of an array like a field. */
    private boolean isLength(Object holder) {
        return text.equals("length") && holder.getClass().isArray();
    }

    Object read(Object holder) throws Throwable {
        InstrRuleField place = find(holder);
        if (place.offset < 0) return isLength(holder) ? (Object) (long) Array.getLength(holder) : null;
        switch (place.kind) {
            case 'L': return place.getObject(holder);
            case 'Z': return InstrUnsafe.getByte(holder, place.offset) != 0;
            case 'C': return (char) InstrUnsafe.getShort(holder, place.offset);
            case 'F':
            case 'D': return readDouble(holder);
            default: return readLong(holder);
        }
    }

    long readLong(Object holder) throws Throwable {
        InstrRuleField place = find(holder);
        if (place.offset < 0) return isLength(holder) ? Array.getLength(holder) : 0;
        switch (place.kind) {
            case 'Z':
            case 'B': return InstrUnsafe.getByte(holder, place.offset);
            case 'C': return (char) InstrUnsafe.getShort(holder, place.offset);
            case 'S': return InstrUnsafe.getShort(holder, place.offset);
            case 'I': return InstrUnsafe.getInt(holder, place.offset);
            case 'J': return InstrUnsafe.getLong(holder, place.offset);
            case 'L': return InstrRules.number(place.getObject(holder));
            default: return (long) readDouble(holder);
        }
    }

    double readDouble(Object holder) throws Throwable {
        InstrRuleField place = find(holder);
        if (place.offset < 0) return readLong(holder);
        switch (place.kind) {
            case 'F': return Float.intBitsToFloat(InstrUnsafe.getInt(holder, place.offset));
            case 'D': return Double.longBitsToDouble(InstrUnsafe.getLong(holder, place.offset));
            case 'L': return InstrRules.real(place.getObject(holder));
            default: return readLong(holder);
        }
    }

    /** Methods of JDK classes that the application cannot override. */
    static boolean isOfJdk(Object object) {
        return object.getClass().getClassLoader() == null;
    }

    Object get(Object o) throws Throwable {
        if (text.equals("getClass")) return o.getClass();
        if (text.equals("length")) return o instanceof String ? (Object) (long) ((String) o).length() : o.getClass().isArray() ? (Object) (long) Array.getLength(o) : null;
        if (text.equals("name")) return o instanceof Enum ? ((Enum<?>) o).name() : null;
        if (text.equals("ordinal")) return o instanceof Enum ? (Object) (long) ((Enum<?>) o).ordinal() : null;
        if (text.equals("getMessage")) return o instanceof Throwable ? InstrUnsafe.getObject(o, InstrUnsafe.offset(Throwable.class, "detailMessage")) : null;
        if (text.equals("getCause")) {
            Object cause = o instanceof Throwable ? InstrUnsafe.getObject(o, InstrUnsafe.offset(Throwable.class, "cause")) : null;
            return cause == o ? null : cause;
        }
        if (text.equals("getName") && o instanceof Thread) return ((Thread) o).getName();
        return isOfJdk(o) ? getOfJdk(o) : null;
    }

    private Object getOfJdk(Object o) throws Throwable {
        if (text.equals("size")) return InstrRuleSize.size(o);
        if (text.equals("isEmpty")) return o instanceof String ? (Object) ((String) o).isEmpty() : InstrRuleSize.isEmpty(o);
        if (text.equals("getName")) return o instanceof Class ? ((Class<?>) o).getName() : o instanceof File ? ((File) o).getName() : null;
        if (text.equals("getSimpleName")) return o instanceof Class ? ((Class<?>) o).getSimpleName() : null;
        if (text.equals("getPath")) return o instanceof File ? ((File) o).getPath() : o instanceof java.net.URI ? ((java.net.URI) o).getPath() : o instanceof java.net.URL ? ((java.net.URL) o).getPath() : null;
        if (text.equals("getHost")) return o instanceof java.net.URI ? ((java.net.URI) o).getHost() : o instanceof java.net.URL ? ((java.net.URL) o).getHost() : null;
        if (text.equals("getPort")) return o instanceof java.net.URI ? (Object) (long) ((java.net.URI) o).getPort() : o instanceof java.net.URL ? (Object) (long) ((java.net.URL) o).getPort() : null;
        if (!(o instanceof Number)) return null;
        return text.equals("doubleValue") ? (Object) ((Number) o).doubleValue() : (Object) ((Number) o).longValue();
    }
}
