package com.acme;

class Cache {
    private String[] keys = new String[2], values = new String[2];
    private int size;

    String get(String key) {
        for (int i = 0; i < size; i++) if (keys[i].equals(key)) return values[i];
        return null;
    }

    void put(String key, String value) {
        if (size == keys.length) resize(2 * size);
        keys[size] = key;
        values[size++] = value;
    }

    private void resize(int length) {
        keys = java.util.Arrays.copyOf(keys, length);
        values = java.util.Arrays.copyOf(values, length);
    }
}
