package com.acme.probe;

/** A helper may be an interface. */
public interface Steps {
    static void step(int n) {
        System.out.println("step " + n);
    }
}

/** A helper must be public. */
class Hidden {}
