package instr.runtime;

/** The counts of one method; times in nanoseconds. The distribution is that of instr/counters/histogram.h. */
final class OfflineRow implements Comparable<OfflineRow> {
    private static final int SUB_BITS = 5, SUB = 1 << SUB_BITS, MOST_BITS = 42;
    private static final int OCTAVES = MOST_BITS - SUB_BITS + 1;

    String className, method, descriptor;
    long calls, thrown, timed, total, self, min = Long.MAX_VALUE, max;
    private long[][] octaves;

    void time(long duration, long self, boolean again) {
        timed++;
        if (!again) total += duration;
        this.self += self;
        if (duration < min) min = duration;
        if (duration > max) max = duration;
        long value = Math.min(duration, (1L << MOST_BITS) - 1);
        int shift = 63 - SUB_BITS - Long.numberOfLeadingZeros(value | SUB);
        int bucket = shift * SUB + (int) (value >>> shift);
        if (octaves == null) octaves = new long[OCTAVES][];
        if (octaves[bucket >>> SUB_BITS] == null) octaves[bucket >>> SUB_BITS] = new long[SUB];
        octaves[bucket >>> SUB_BITS][bucket & SUB - 1]++;
    }

    /** Adds the counts of the same method under another id. */
    void add(OfflineRow other) {
        calls += other.calls;
        thrown += other.thrown;
        timed += other.timed;
        total += other.total;
        self += other.self;
        min = Math.min(min, other.min);
        max = Math.max(max, other.max);
        if (other.octaves == null) return;
        if (octaves == null) octaves = new long[OCTAVES][];
        for (int i = 0; i < OCTAVES; i++) {
            if (other.octaves[i] == null) continue;
            if (octaves[i] == null) octaves[i] = new long[SUB];
            for (int j = 0; j < SUB; j++) octaves[i][j] += other.octaves[i][j];
        }
    }

    /** The nearest rank, as the middle of its bucket. */
    long percentile(int percent) {
        if (timed == 0) return 0;
        long rank = Math.max(1, timed / 100 * percent + (timed % 100 * percent + 99) / 100), seen = 0;
        for (int i = 0; i < OCTAVES; i++) {
            for (int j = 0; octaves[i] != null && j < SUB; j++) {
                seen += octaves[i][j];
                if (seen >= rank) return Math.min(max, Math.max(min, middle(i, j)));
            }
        }
        return max;
    }

    private static long middle(int octave, int sub) {
        if (octave == 0) return sub;
        int shift = octave - 1;
        return ((long) (SUB + sub) << shift) + (1L << shift >> 1);
    }

    /** The largest first. */
    @Override
    public int compareTo(OfflineRow other) {
        int c = Long.compare(other.self, self);
        if (c == 0) c = Long.compare(other.calls, calls);
        if (c == 0) c = className.compareTo(other.className);
        if (c == 0) c = method.compareTo(other.method);
        return c == 0 ? descriptor.compareTo(other.descriptor) : c;
    }
}
