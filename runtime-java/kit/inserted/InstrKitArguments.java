package java.lang;

/**
 * Makes what advice gets of arguments in an array (@AllArgs) or a Holder, for code that is inserted (instr/kit/weaving.c). An array or a holder is null if
 * heap or stack do not suffice for it: the advice is not called then (instr/kit/bridge.c), and nothing is thrown into the application.
 * In place of the box of a primitive value there is this class then: a field with an object of its own would need a class initializer.
 */
public final class InstrKitArguments {
    private InstrKitArguments() {}

    public static Object[] array(int length) {
        try {
            return new Object[length];
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, Object value) {
        if (array == null || value == InstrKitArguments.class) return null;
        array[index] = value;
        return array;
    }

    public static InstrKitHolder<Object> hold(Object value) {
        try {
            return value == InstrKitArguments.class ? null : new InstrKitHolder<Object>(value);
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object box(boolean value) {
        try {
            return Boolean.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(byte value) {
        try {
            return Byte.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(char value) {
        try {
            return Character.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(short value) {
        try {
            return Short.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(int value) {
        try {
            return Integer.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(long value) {
        try {
            return Long.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(float value) {
        try {
            return Float.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }

    public static Object box(double value) {
        try {
            return Double.valueOf(value);
        } catch (VirtualMachineError full) {
            return InstrKitArguments.class;
        }
    }
}
