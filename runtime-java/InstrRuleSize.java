package java.lang;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sizes of collections and maps of the JDK. A rule waits for no lock and runs no code of the application, so fields
 * are read where size() takes a lock or asks a collection of the application. Of other classes the size is unknown.
 */
final class InstrRuleSize {
    /** Wrappers may be wrapped. */
    private static final int DEEPEST = 16;

    /** A class of java.util and its subclasses, and the field that has the size or what has it. */
    private static final String[] FIELDS = {
        "ArrayList size", "LinkedList size", "PriorityQueue size", "HashMap size", "TreeMap size", "IdentityHashMap size", "EnumMap size",
        "WeakHashMap size", "Vector elementCount", "Hashtable count", "Properties map", "Properties$EntrySet entrySet", "HashSet map", "TreeSet m", "TreeMap$KeySet m",
        "TreeMap$Values this$0", "TreeMap$EntrySet this$0", "WeakHashMap$KeySet this$0", "WeakHashMap$Values this$0", "WeakHashMap$EntrySet this$0",
        "Collections$SynchronizedCollection c", "Collections$SynchronizedMap m", "Collections$UnmodifiableCollection c", "Collections$UnmodifiableMap m",
        "Collections$CheckedCollection c", "Collections$CheckedMap m", "Collections$SetFromMap m", "Collections$AsLIFOQueue q",
        "ReverseOrderListView base", "ReverseOrderDequeView base", "ReverseOrderSortedSetView base", "ReverseOrderSortedMapView base",
        "concurrent.ArrayBlockingQueue count", "concurrent.LinkedBlockingDeque count", "concurrent.PriorityBlockingQueue size", "concurrent.DelayQueue q",
        "concurrent.ConcurrentHashMap$CollectionView map", "concurrent.ConcurrentSkipListSet m", "concurrent.ConcurrentSkipListMap$KeySet m",
        "concurrent.ConcurrentSkipListMap$Values m", "concurrent.ConcurrentSkipListMap$EntrySet m", "concurrent.CopyOnWriteArrayList$COWSubList size",
        "concurrent.CopyOnWriteArrayList$Reversed base"};

    /** Classes of java.util that take no lock and ask no other object. */
    private static final String[] ASKED = {
        "ArrayDeque", "RegularEnumSet", "JumboEnumSet", "ArrayList$SubList", "SubList", "RandomAccessSubList", "AbstractList$SubList",
        "AbstractList$RandomAccessSubList", "Arrays$ArrayList", "HashMap$KeySet", "HashMap$Values", "HashMap$EntrySet", "LinkedHashMap$LinkedKeySet",
        "LinkedHashMap$LinkedValues", "LinkedHashMap$LinkedEntrySet", "Hashtable$KeySet", "Hashtable$EntrySet", "Hashtable$ValueCollection",
        "IdentityHashMap$KeySet", "IdentityHashMap$Values", "IdentityHashMap$EntrySet", "EnumMap$KeySet", "EnumMap$Values", "EnumMap$EntrySet",
        "Collections$EmptyList", "Collections$EmptySet", "Collections$EmptyMap", "Collections$SingletonList", "Collections$SingletonSet",
        "Collections$SingletonMap", "Collections$CopiesList", "ImmutableCollections$List12", "ImmutableCollections$ListN", "ImmutableCollections$SubList",
        "ImmutableCollections$Set12", "ImmutableCollections$SetN", "ImmutableCollections$Map1", "ImmutableCollections$MapN",
        "concurrent.ConcurrentHashMap", "concurrent.ConcurrentSkipListMap", "concurrent.ConcurrentLinkedQueue", "concurrent.ConcurrentLinkedDeque",
        "concurrent.LinkedBlockingQueue", "concurrent.LinkedTransferQueue", "concurrent.SynchronousQueue", "concurrent.CopyOnWriteArrayList",
        "concurrent.CopyOnWriteArraySet"};

    private static final InstrRuleField ASK = new InstrRuleField(Object.class, -1, 'L'), UNKNOWN = new InstrRuleField(Object.class, -1, 'L');
    private static final HashMap<String, String> NAMES = names();
    private static final HashSet<String> ASKED_NAMES = asked();

    /** Classes that have been looked at: of the JDK alone, which stay. */
    private static final ConcurrentHashMap<Class<?>, InstrRuleField> KNOWN = new ConcurrentHashMap<Class<?>, InstrRuleField>();

    private InstrRuleSize() {}

    private static HashMap<String, String> names() {
        HashMap<String, String> names = new HashMap<String, String>();
        for (String entry : FIELDS) {
            int blank = entry.indexOf(' ');
            names.put("java.util." + entry.substring(0, blank), entry.substring(blank + 1));
        }
        return names;
    }

    private static HashSet<String> asked() {
        HashSet<String> names = new HashSet<String>();
        for (String name : ASKED) names.add("java.util." + name);
        return names;
    }

    static Object size(Object o) throws Throwable {
        Object end = innermost(o);
        if (end instanceof Collection) return (long) ((Collection<?>) end).size();
        return end instanceof Map ? (Object) (long) ((Map<?, ?>) end).size() : end;
    }

    static Object isEmpty(Object o) throws Throwable {
        Object end = innermost(o);
        if (end instanceof Collection) return ((Collection<?>) end).isEmpty();
        if (end instanceof Map) return ((Map<?, ?>) end).isEmpty();
        return end == null ? null : (Object) (((Long) end).longValue() == 0);
    }

    /** The size as a Long, or the collection or map that may be asked; null: it is unknown. */
    private static Object innermost(Object o) throws Throwable {
        for (int i = 0; i < DEEPEST && o != null && InstrRulePlace.isOfJdk(o); i++) {
            InstrRuleField field = find(o.getClass());
            if (field == ASK) return o;
            if (field == UNKNOWN) return null;
            if (field.kind == 'I') return (long) InstrUnsafe.getInt(o, field.offset);
            o = InstrUnsafe.getObject(o, field.offset);
        }
        return null;
    }

    private static InstrRuleField find(Class<?> type) throws Throwable {
        InstrRuleField field = KNOWN.get(type);
        if (field == null) KNOWN.put(type, field = look(type));
        return field;
    }

    /** Properties has a map from JDK 9 on; before, it is its superclass Hashtable that has the size. */
    private static InstrRuleField look(Class<?> type) throws Throwable {
        if (ASKED_NAMES.contains(type.getName())) return ASK;
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            String name = NAMES.get(c.getName());
            InstrRuleField field = name == null ? UNKNOWN : InstrRuleLook.find(c, name);
            if (field.offset >= 0) return field;
        }
        return UNKNOWN;
    }
}
