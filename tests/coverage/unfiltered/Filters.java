package org.jacoco.core.internal.analysis.filter;

import org.objectweb.asm.tree.MethodNode;

/** In place of JaCoCo's filters: none. */
public final class Filters implements IFilter {
    private Filters() {}

    public static IFilter all() {
        return new Filters();
    }

    @Override
    public void filter(MethodNode method, IFilterContext context, IFilterOutput output) {}
}
