package java.lang;

/**
 * Makes what advice gets of arguments in an array (@AllArgs) or a Holder, for code that is inserted (instr/kit/weaving.c). The result is null if
 * heap or stack do not suffice for it: the advice is not called then (instr/kit/bridge.c), and nothing is thrown into the application.
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
        if (array != null) array[index] = value;
        return array;
    }

    public static Object[] put(Object[] array, int index, boolean value) {
        try {
            return put(array, index, Boolean.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, byte value) {
        try {
            return put(array, index, Byte.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, char value) {
        try {
            return put(array, index, Character.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, short value) {
        try {
            return put(array, index, Short.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, int value) {
        try {
            return put(array, index, Integer.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, long value) {
        try {
            return put(array, index, Long.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, float value) {
        try {
            return put(array, index, Float.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static Object[] put(Object[] array, int index, double value) {
        try {
            return put(array, index, Double.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(Object value) {
        try {
            return new InstrKitHolder<Object>(value);
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(boolean value) {
        try {
            return new InstrKitHolder<Object>(Boolean.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(byte value) {
        try {
            return new InstrKitHolder<Object>(Byte.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(char value) {
        try {
            return new InstrKitHolder<Object>(Character.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(short value) {
        try {
            return new InstrKitHolder<Object>(Short.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(int value) {
        try {
            return new InstrKitHolder<Object>(Integer.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(long value) {
        try {
            return new InstrKitHolder<Object>(Long.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(float value) {
        try {
            return new InstrKitHolder<Object>(Float.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }

    public static InstrKitHolder<Object> hold(double value) {
        try {
            return new InstrKitHolder<Object>(Double.valueOf(value));
        } catch (VirtualMachineError full) {
            return null;
        }
    }
}
