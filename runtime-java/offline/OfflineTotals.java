package instr.runtime;

/** The counts of all threads, by id. */
final class OfflineTotals {
    private OfflineRow[][] rows = {};

    private OfflineRow row(int id) {
        int index = id >>> 5;
        if (index >= rows.length) {
            OfflineRow[][] longer = new OfflineRow[index + (index >>> 2) + 8][];
            System.arraycopy(rows, 0, longer, 0, rows.length);
            rows = longer;
        }
        if (rows[index] == null) rows[index] = new OfflineRow[32];
        OfflineRow row = rows[index][id & 31];
        if (row == null) rows[index][id & 31] = row = new OfflineRow();
        return row;
    }

    synchronized void event(int id, int what) {
        OfflineRow row = row(id);
        if (what == Offline.CALL || what == Offline.CONSTRUCT) row.calls++;
        if (what == Offline.THROWN || what == Offline.CONSTRUCT) row.thrown++;
        if (what == Offline.INITIALIZED) row.thrown--;
    }

    synchronized void time(int id, long duration, long self, boolean again) {
        row(id).time(duration, self, again);
    }

    synchronized void add(int id, long calls, long thrown) {
        if (calls == 0 && thrown == 0) return;
        OfflineRow row = row(id);
        row.calls += calls;
        row.thrown += thrown;
    }

    /** Null: nothing is known of the id. */
    synchronized OfflineRow get(int id) {
        int index = id >>> 5;
        return index < rows.length && rows[index] != null ? rows[index][id & 31] : null;
    }
}
