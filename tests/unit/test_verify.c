// The verifier, rule by rule. Each case is a method of a class of its own; `unit_verify FILE`
// writes them all to FILE for a JVM to judge (tests/verify/run): it must say the same.

#include "classfile/verify_quick.h"
#include "tests/unit/verify_class.h"

#include <check.h>

static struct cf_arena arena;

// Memory as it is in the life of an agent: used before.
static void *used_memory(size_t size) {
    void *memory = malloc(size);
    if (memory) memset(memory, 0xA5, size);
    return memory;
}

static void set_up(void) {
    cf_arena_init(&arena);
    arena.allocate = used_memory;
}
static void tear_down(void) {
    cf_arena_free(&arena);
}

static const struct verify_case cases[] = {
    // --- operand types ---
    {"ints()I", "2 0", "iconst_1 bipush:5 iadd ireturn", 0, 0, 0, 0},
    {"floatForInt()I", "2 0", "iconst_1 fconst_1 iadd ireturn", 0, 0, "float where int", 0},
    {"longs()J", "4 0", "lconst_1 ldc2_w:#long lsub lreturn", 0, 0, 0, 0},
    {"intForLong()J", "4 0", "lconst_1 iconst_1 iconst_1 ladd lreturn", 0, 0, "operand stack", 0},
    {"shiftsByInt()J", "3 0", "lconst_1 iconst_1 lshl lreturn", 0, 0, 0, 0},
    {"shiftsByLong()J", "4 0", "lconst_1 lconst_1 lshl lreturn", 0, 0, "operand stack", 0},
    {"converts()D", "2 0", "iconst_1 i2l l2f f2d d2i i2d dreturn", 0, 0, 0, 0},
    {"convertsOther()D", "2 0", "iconst_1 l2d dreturn", 0, 0, "operand stack", 0},
    {"compares()I", "4 0", "dconst_0 dconst_1 dcmpg ireturn", 0, 0, 0, 0},
    {"empty()V", "2 0", "pop return", 0, 0, "empty", 0},
    {"emptyAdd()V", "2 0", "iconst_0 iadd pop return", 0, 0, "empty", 0},
    {"emptyStore()V", "2 1", "istore_0 return", 0, 0, "empty", 0},
    {"overflows()V", "1 0", "iconst_0 iconst_0 return", 0, 0, "max_stack 1", 0},
    {"overflowsByLong()V", "1 0", "lconst_0 return", 0, 0, "max_stack 1", 0},
    // --- moving on the stack ---
    {"splits()V", "2 0", "lconst_0 pop return", 0, 0, "sizes", 0},
    {"splitsByDup()V", "3 0", "lconst_0 dup return", 0, 0, "sizes", 0},
    {"pop2()V", "2 0", "lconst_0 pop2 iconst_0 fconst_0 pop2 return", 0, 0, 0, 0},
    {"pop2Splits()V", "3 0", "lconst_0 iconst_0 pop2 return", 0, 0, "sizes", 0},
    {"swap()F", "2 0", "fconst_0 iconst_0 swap freturn", 0, 0, 0, 0},
    {"swapSplits()V", "3 0", "lconst_0 iconst_0 swap return", 0, 0, "sizes", 0},
    {"dupX1()F", "3 0", "iconst_0 fconst_0 dup_x1 pop2 freturn", 0, 0, 0, 0},
    {"dupX2()F", "4 0", "lconst_0 fconst_0 dup_x2 pop l2i pop freturn", 0, 0, 0, 0},
    {"dupX2Splits()V", "4 0", "lconst_0 iconst_0 iconst_0 dup_x2 return", 0, 0, "sizes", 0},
    {"dup2()J", "4 0", "iconst_0 fconst_0 dup2 pop2 pop2 lconst_0 dup2 ladd lreturn", 0, 0, 0, 0},
    {"dup2X1()J", "5 0", "iconst_0 lconst_0 dup2_x1 pop2 pop lreturn", 0, 0, 0, 0},
    {"dup2X2()J", "6 0", "dconst_0 lconst_0 dup2_x2 pop2 pop2 lreturn", 0, 0, 0, 0},
    {"dup2X2Splits()V", "6 0", "dconst_0 iconst_0 iconst_0 iconst_0 dup2_x2 return", 0, 0, "sizes",
     0},
    // --- locals ---
    {"loads(I)I", "1 1", "iload_0 ireturn", 0, 0, 0, 0},
    {"loadsOther(I)F", "1 1", "fload_0 freturn", 0, 0, "local variable 0: int where float", 0},
    {"loadsUnset()I", "1 1", "iload_0 ireturn", 0, 0, "local variable 0: top", 0},
    {"aboveMax()V", "1 1", "iconst_0 istore_1 return", 0, 0, "above max_locals", 0},
    {"aboveMaxLong()V", "2 1", "lconst_0 lstore_0 return", 0, 0, "above max_locals", 0},
    {"aboveMaxLoad()V", "1 1", "iload:200 pop return", 0, 0, "above max_locals", 0},
    {"aboveMaxIncrement()V", "1 1", "wide iinc:700:1 return", 0, 0, "above max_locals", 0},
    {"incrementsInt(I)V", "0 1", "iinc:0:5 wide iinc:0:500 return", 0, 0, 0, 0},
    {"incrementsFloat(F)V", "0 1", "iinc:0:5 return", 0, 0, "float where int", 0},
    {"argumentsTooMany(J)V", "0 1", "return", 0, 0, "max_locals 1", 0},
    {"overwritesSecond(J)J", "2 2", "iconst_0 istore_1 lload_0 lreturn", 0, 0,
     "local variable 0: top", 0},
    {"overwritesFirst(IJ)I", "2 3", "lconst_0 lstore_0 iload:2 ireturn", 0, 0,
     "local variable 2: top", 0},
    {"loadsHalf(J)J", "2 3", "lload_1 lreturn", 0, 0, "half of a long where long", 0},
    {"wideLocals()J", "2 302", "lconst_1 wide lstore:300 wide lload:300 lreturn", 0, 0, 0, 0},
    {"storesReference(Ljava/lang/String;)V", "1 2", "aload_0 astore_1 return", 0, 0, 0, 0},
    {"storesInt()V", "1 2", "iconst_0 astore_1 return", 0, 0, "no reference", 0},
    // --- constants ---
    {"constants()V", "8 0",
     "ldc:#int ldc:#float ldc2_w:#double ldc:#string ldc:String ldc:#type ldc_w:#handle return", 0,
     0, 0, 0},
    {"string()Ljava/lang/String;", "1 0", "ldc:#string areturn", 0, 0, 0, 0},
    {"classForString()Ljava/lang/String;", "1 0", "ldc:T areturn", 0, 0,
     "java/lang/Class where java/lang/String", 0},
    {"handleForString()Ljava/lang/String;", "1 0", "ldc_w:#handle areturn", 0, 0, "MethodHandle",
     0},
    {"longByLdc()V", "2 0", "ldc_w:#long return", 0, 0, "size", 0},
    {"noConstant()V", "2 0", "ldc_w:own return", 0, 0, "cannot be loaded", 0},
    {"condy()Ljava/lang/String;", "1 0", "ldc_w:#condy areturn", 0, 0, 0, 55},
    {"condyLong()J", "2 0", "ldc2_w:#condyJ lreturn", 0, 0, 0, 55},
    {"condySize()J", "2 0", "ldc_w:#condyJ lreturn", 0, 0, "size", 55},
    // --- arrays ---
    {"array()I", "2 0", "iconst_1 newarray:10 iconst_0 iaload ireturn", 0, 0, 0, 0},
    {"arrayOther()I", "2 0", "iconst_1 newarray:8 iconst_0 iaload ireturn", 0, 0, "the array", 0},
    {"booleans()I", "2 0", "iconst_1 newarray:4 iconst_0 baload ireturn", 0, 0, 0, 0},
    {"arrayType()V", "1 0", "iconst_1 newarray:3 return", 0, 0, "newarray of type 3", 0},
    {"nullArray()J", "2 0", "aconst_null iconst_0 laload lreturn", 0, 0, 0, 0},
    {"arrayOfInts()[I", "1 0", "iconst_1 newarray:10 areturn", 0, 0, 0, 0},
    {"arrayOfBytes()[I", "1 0", "iconst_1 newarray:8 areturn", 0, 0, "byte[] where int[]", 0},
    {"arrays()[[J", "2 0", "iconst_1 iconst_1 multianewarray:longs2:2 areturn", 0, 0, 0, 0},
    {"arraysTooDeep()V", "3 0", "iconst_1 iconst_1 iconst_1 multianewarray:longs2:3 return", 0, 0,
     "3 dimensions", 0},
    {"element()[J", "2 0", "aconst_null checkcast:longs2 iconst_0 aaload areturn", 0, 0, 0, 0},
    {"elementWrong()[[J", "2 0", "aconst_null checkcast:longs2 iconst_0 aaload areturn", 0, 0,
     "long[] where long[][]", 0},
    {"anewarray()[Ljava/lang/String;", "1 0", "iconst_1 anewarray:String areturn", 0, 0, 0, 0},
    {"covariant()[Ljava/lang/Object;", "1 0", "iconst_1 anewarray:String areturn", 0, 0, 0, 0},
    {"contravariant()[Ljava/lang/String;", "1 0", "iconst_1 anewarray:Object areturn", 0, 0,
     "Object[] where java/lang/String[]", 0},
    {"arrayIsObject()Ljava/lang/Object;", "1 0", "iconst_1 newarray:10 areturn", 0, 0, 0, 0},
    {"arrayIsCloneable()Ljava/lang/Cloneable;", "1 0", "iconst_1 newarray:10 areturn", 0, 0, 0, 0},
    {"arrayIsRunnable()Ljava/lang/Runnable;", "1 0", "iconst_1 newarray:10 areturn", 0, 0,
     "int[] where java/lang/Runnable", 0},
    {"deepIsObjects()[Ljava/lang/Object;", "2 0",
     "iconst_1 iconst_1 multianewarray:longs2:2 areturn", 0, 0, 0, 0},
    {"shallowIsObjects()[Ljava/lang/Object;", "1 0", "iconst_1 newarray:11 areturn", 0, 0, "long[]",
     0},
    {"length()I", "1 0", "iconst_1 newarray:11 arraylength ireturn", 0, 0, 0, 0},
    {"lengthOfString()I", "1 0", "ldc:#string arraylength ireturn", 0, 0, "the array", 0},
    {"storesInArray()V", "4 0", "iconst_1 newarray:7 iconst_0 dconst_0 dastore return", 0, 0, 0, 0},
    {"storesInOther()V", "4 0", "iconst_1 newarray:7 iconst_0 lconst_0 lastore return", 0, 0,
     "the array", 0},
    {"storesElement()V", "3 0", "iconst_1 anewarray:String iconst_0 aconst_null aastore return", 0,
     0, 0, 0},
    {"storesIntElement()V", "3 0", "iconst_1 anewarray:String iconst_0 iconst_0 aastore return", 0,
     0, "no initialized reference", 0},
    // --- assignability ---
    {"unknown(Lx/A;)Lx/B;", "1 1", "aload_0 areturn", 0, 0, 0, 0},
    {"interface(Ljava/lang/Object;)Ljava/lang/Runnable;", "1 1", "aload_0 areturn", 0, 0, 0, 0},
    {"objectIsString(Ljava/lang/Object;)Ljava/lang/String;", "1 1", "aload_0 areturn", 0, 0,
     "Object where java/lang/String", 0},
    {"finalString(Lt/T;)Ljava/lang/String;", "1 1", "aload_0 areturn", 0, 0,
     "t/T where java/lang/String", 0},
    {"thisIsSuper(Lt/T;)Lt/S;", "1 1", "aload_0 areturn", 0, 0, 0, 0},
    {"objectIsThis(Ljava/lang/Object;)Lt/T;", "1 1", "aload_0 areturn", 0, 0, "Object where t/T",
     0},
    {"stringIsThis(Ljava/lang/String;)Lt/T;", "1 1", "aload_0 areturn", 0, 0, "String where t/T",
     0},
    {"nullIsAll()Lt/T;", "1 0", "aconst_null areturn", 0, 0, 0, 0},
    {"casts(Ljava/lang/Object;)Lt/T;", "1 1", "aload_0 checkcast:T areturn", 0, 0, 0, 0},
    {"castsInt(I)V", "1 1", "iload_0 checkcast:T pop return", 0, 0, "no initialized reference", 0},
    {"instance(Ljava/lang/Object;)I", "1 1", "aload_0 instanceof:T ireturn", 0, 0, 0, 0},
    // --- fields and calls ---
    {"field(Lt/T;)J", "3 1", "aload_0 dup getfield:I pop getfield:J lreturn", 0, 0, 0, 0},
    {"fieldOfInt(I)I", "1 1", "iload_0 getfield:I ireturn", 0, 0, "int where t/T", 0},
    {"fieldOfArray()I", "1 0", "aconst_null getfield:array_field ireturn", 0, 0,
     "field of an array", 0},
    {"putsLong(Lt/T;)V", "3 1", "aload_0 lconst_0 putfield:J return", 0, 0, 0, 0},
    {"putsOther(Lt/T;)V", "3 1", "aload_0 dconst_0 putfield:J return", 0, 0, "half of a double", 0},
    {"putsString(Lt/T;)V", "3 1", "aload_0 aload_0 putfield:A return", 0, 0,
     "t/T where java/lang/String", 0},
    {"fieldNoConstant()V", "1 0", "getstatic:own return", 0, 0, "of the kind", 0},
    {"calls()J", "8 0", "iconst_0 lconst_0 aconst_null dup dconst_0 invokestatic:mixed lreturn", 0,
     0, 0, 0},
    {"callsOther()J", "8 0",
     "iconst_0 lconst_0 iconst_0 aconst_null dconst_0 invokestatic:mixed lreturn", 0, 0,
     "int where java/lang/String", 0},
    {"callsShort()J", "8 0", "lconst_0 aconst_null dup dconst_0 invokestatic:mixed lreturn", 0, 0,
     "empty", 0},
    {"virtual()I", "1 0", "ldc:#string invokevirtual:length ireturn", 0, 0, 0, 0},
    {"virtualOther()I", "1 0", "ldc:T invokevirtual:length ireturn", 0, 0,
     "Class where java/lang/String", 0},
    {"interfaceCall(Ljava/lang/Object;)V", "1 1", "aload_0 invokeinterface:run:1 return", 0, 0, 0,
     0},
    {"interfaceCount(Ljava/lang/Object;)V", "1 1", "aload_0 invokeinterface:run:2 return", 0, 0,
     "count of invokeinterface is 2", 0},
    {"interfaceArray()V", "1 0", "iconst_0 newarray:10 invokeinterface:run:1 return", 0, 0,
     "int[] where java/lang/Runnable", 0},
    {"interfaceByVirtual()V", "1 0", "aconst_null invokevirtual:run return", 0, 0, "of the kind",
     0},
    {"indy()J", "2 0", "iconst_0 invokedynamic:#indy lreturn", 0, 0, 0, 0},
    {"indyOther()J", "2 0", "fconst_0 invokedynamic:#indy lreturn", 0, 0, "float where int", 0},
    {"initByVirtual(Lt/T;)V", "1 1", "aload_0 invokevirtual:super_init return", 0, 0, "internal",
     0},
    {"Special()V", "1 1", "aload_0 invokespecial:own aload_0 invokespecial:direct return", 0, 0, 0,
     0},
    {"SpecialIndirect()V", "1 1", "aload_0 invokespecial:run return", 0, 0,
     "no direct superinterface", 0},
    {"SpecialOfOther()I", "1 1", "aload_0 invokespecial:length ireturn", 0, 0,
     "none of the superclasses", 0},
    {"SpecialOnOther()V", "1 1", "ldc:#string invokespecial:own return", 0, 0, "String where t/T",
     0},
    {"SpecialInterfaceOld()V", "1 1", "aload_0 invokespecial:direct return", 0, 0, "of the kind",
     51},
    {"clones(Lt/T;)V", "1 1", "aload_0 invokevirtual:clone pop return", 0, 0, 0, 0},
    {"clonesObject(Ljava/lang/Object;)V", "1 1", "aload_0 invokevirtual:clone pop return", 0, 0,
     "protected", 0},
    {"clonesString()V", "1 0", "ldc:#string invokevirtual:clone pop return", 0, 0, "protected", 0},
    {"clonesArray()V", "1 0",
     "iconst_1 newarray:10 dup invokevirtual:clone pop invokevirtual:array_clone pop return", 0, 0,
     "max_stack", 0},
    {"clonesArrays()V", "2 0",
     "iconst_1 newarray:10 dup invokevirtual:clone pop invokevirtual:array_clone pop return", 0, 0,
     0, 0},
    // --- returns ---
    {"returnsNothing()I", "1 0", "return", 0, 0, "has to return", 0},
    {"returnsSomething()V", "1 0", "iconst_0 ireturn", 0, 0, "does not return", 0},
    {"returnsFloat()I", "1 0", "fconst_0 freturn", 0, 0, "returned value", 0},
    {"returnsBoolean()Z", "1 0", "iconst_0 ireturn", 0, 0, 0, 0},
    {"returnsNew()Ljava/lang/Object;", "1 0", "new:Object areturn", 0, 0, "uninitialized where", 0},
    {"throws(Ljava/lang/Error;)V", "1 1", "aload_0 athrow", 0, 0, 0, 0},
    {"throwsString()V", "1 0", "ldc:#string athrow", 0, 0, "String where java/lang/Throwable", 0},
    {"fallsOff()V", "1 0", "nop", 0, 0, "falls off", 0},
    {"fallsOffBranch(I)V", "1 1", "iload_0 ifeq:0", "0: int |", 0, "falls off", 0},
    {"monitor(Ljava/lang/Object;)V", "1 1", "aload_0 monitorenter aload_0 monitorexit return", 0, 0,
     0, 0},
    {"monitorInt()V", "1 0", "iconst_0 monitorenter return", 0, 0, "no reference", 0},
    {"subroutine()V", "1 0", "jsr:L1 return L1: pop return", 0, 0, "jsr", 0},
    // --- branches and frames ---
    {"loop(I)V", "1 1", "L1: iinc:0:-1 iload_0 ifne:L1 return", "L1: int |", 0, 0, 0},
    {"loopNoFrame(I)V", "1 1", "L1: iinc:0:-1 iload_0 ifne:L1 return", 0, 0,
     "no stack map frame at the target", 0},
    {"loopChanges(I)V", "1 1", "L1: fconst_0 fstore_0 goto:L1", "L1: int |", 0, "float where int",
     0},
    {"loopForgets(I)V", "1 1", "L1: fconst_0 fstore_0 goto:L1", "L1: |", 0, 0, 0},
    {"joins(I)I", "1 1", "iload_0 ifeq:L1 iconst_1 goto:L2 L1: iconst_0 L2: ireturn",
     "L1: int |; L2: int | int", 0, 0, 0},
    {"joinsTypes(I)I", "1 1", "iload_0 ifeq:L1 fconst_1 goto:L2 L1: iconst_0 L2: ireturn",
     "L1: int |; L2: int | int", 0, "float where int", 0},
    {"joinsDepths(I)I", "2 1", "iload_0 ifeq:L1 iconst_1 iconst_1 goto:L2 L1: iconst_0 L2: ireturn",
     "L1: int |; L2: int | int", 0, "another depth", 0},
    {"deadCode()V", "1 0", "return nop return", 0, 0, "behind code that does not fall through", 0},
    {"deadCodeFramed()I", "1 0", "iconst_0 ireturn L1: fconst_0 pop iconst_0 ireturn", "L1: |", 0,
     0, 0},
    {"deadCodeChecked()I", "1 0", "iconst_0 ireturn L1: fconst_0 ireturn", "L1: |", 0,
     "float where int", 0},
    {"frameInside()V", "1 0", "bipush:1 pop return", "1: |", 0, "no instruction", 0},
    {"frameBehind()V", "1 0", "return", "1: |", 0, "no instruction", 0},
    {"frameTooLarge()V", "1 0", "nop L1: return", "L1: int |", 0, "more than 0 slots", 0},
    {"frameTooDeep()V", "0 0", "nop L1: return", "L1: | int", 0, "more than 0 slots", 0},
    {"frameUnlike(I)V", "1 1", "nop L1: return", "L1: float |", 0, "int where float", 0},
    {"frameNoNew()V", "1 1", "nop L1: return", "L1: new@0 |", 0, "no new at pc 0", 0},
    {"frameTopTrailing(IJ)V", "1 3", "nop L1: iload_0 pop return", "L1: int top top |", 0, 0, 0},
    {"frameTopStack(I)V", "1 1", "iload_0 L1: pop return", "L1: int | top", 0, "sizes", 0},
    {"frameSuper(Ljava/lang/String;)Ljava/lang/String;", "1 1", "nop L1: aload_0 areturn",
     "L1: Object |", 0, "Object where", 0},
    {"tableSwitch(I)V", "1 1", "iload_0 tableswitch:L1:5:L2 L1: return L2: return",
     "L1: int |; L2: |", 0, 0, 0},
    {"tableSwitchTarget(I)V", "1 1", "iload_0 tableswitch:L1:5:L2 L1: return L2: return",
     "L1: int |", 0, "target", 0},
    {"lookupSwitch(I)V", "1 1", "iload_0 lookupswitch:L1:5:L2 L1: return L2: return",
     "L1: int |; L2: |", 0, 0, 0},
    {"switchOnLong(J)V", "2 2", "lload_0 tableswitch:L1:5:L1 L1: return", "L1: long |", 0,
     "half of a long where int", 0},
    {"switchPadding(I)V", "1 1", "iload_0 0xaa 0 1 0 0 0 19 0 0 0 1 0 0 0 1 0 0 0 19 L1: return",
     "L1: int |", 0, 0, 0},
    {"comparesReferences(Ljava/lang/Object;)V", "2 1",
     "aload_0 aconst_null if_acmpeq:L1 aload_0 ifnull:L1 L1: return", "L1: |", 0, 0, 0},
    {"comparesInts()V", "2 0", "iconst_0 iconst_0 if_acmpeq:L1 L1: return", "L1: |", 0,
     "no reference", 0},
    {"gotoWide()V", "0 0", "goto_w:L1 L1: return", "L1: |", 0, 0, 0},
    // --- new objects ---
    {"creates()Ljava/lang/Object;", "2 0", "new:Object dup invokespecial:object_init areturn", 0, 0,
     0, 0},
    {"createsTwice()V", "2 0",
     "new:Object dup invokespecial:object_init invokespecial:object_init return", 0, 0,
     "no new object", 0},
    {"createsOther()V", "1 0", "new:Error invokespecial:object_init return", 0, 0, "another class",
     0},
    {"createsArray()V", "1 0", "new:ints pop return", 0, 0, "new of an array", 0},
    {"createsLocal()I", "2 1",
     "new:Object astore_0 aload_0 invokespecial:object_init aload_0 invokevirtual:hashCode ireturn",
     0, 0, 0, 0},
    {"usesNew()I", "1 0", "new:Object invokevirtual:hashCode ireturn", 0, 0, "uninitialized where",
     0},
    {"newInFrame(I)V", "2 1", "L0: new:Object iload_0 ifeq:L1 L1: invokespecial:object_init return",
     "L1: int | new@0", 0, 0, 0},
    {"newOfOther(I)V", "2 1",
     "new:Object pop L0: new:Object iload_0 ifeq:L1 L1: invokespecial:object_init return",
     "L1: int | new@0", 0, "uninitialized where uninitialized", 0},
    // --- constructors ---
    {"<init>()V", "1 1", "aload_0 invokespecial:super_init return", 0, 0, 0, 0},
    {"<init>(J)V", "2 3", "aload_0 iconst_0 invokespecial:this_init return", 0, 0, 0, 0},
    {"<init>(F)V", "1 2", "aload_0 invokespecial:object_init return", 0, 0, "neither this class",
     0},
    {"<init>(D)V", "1 3", "return", 0, 0, "without having called", 0},
    {"<init>(S)V", "1 2", "aload_0 invokevirtual:hashCode pop return", 0, 0,
     "uninitializedThis where", 0},
    {"<init>(I)V", "2 2", "aload_0 iload_1 putfield:I aload_0 invokespecial:super_init return", 0,
     0, 0, 0},
    {"<init>(II)V", "2 3",
     "aload_0 iload_1 putfield:super_I aload_0 invokespecial:super_init return", 0, 0,
     "uninitializedThis where t/S", 0},
    {"<init>(III)V", "2 4", "aload_0 getfield:I pop aload_0 invokespecial:super_init return", 0, 0,
     "uninitializedThis where t/T", 0},
    {"<init>(Z)V", "1 2", "iload_1 ifeq:L1 nop L1: aload_0 invokespecial:super_init return",
     "L1: this int |", 0, 0, 0},
    {"<init>(ZI)V", "1 3", "iload_1 ifeq:L1 aload_0 invokespecial:super_init L1: return",
     "L1: top int int |", 0, "not initialized", 0},
    {"<init>(ZZ)V", "1 3",
     "iload_1 ifeq:L1 aload_0 invokespecial:super_init return L1: new:Error dup "
     "invokespecial:error_init athrow",
     "L1: this int int |", 0, "max_stack 1", 0},
    {"<init>(ZZZ)V", "2 4",
     "iload_1 ifeq:L1 aload_0 invokespecial:super_init return L1: new:Error dup "
     "invokespecial:error_init athrow",
     "L1: this int int int |", 0, 0, 0},
    {"<init>(B)V", "1 2",
     "aload_0 invokespecial:super_init aload_0 invokespecial:super_init return", 0, 0,
     "no new object", 0},
    {"<init>(BB)V", "1 3", "L0: aload_0 invokespecial:super_init L1: return L2: athrow",
     "L2: this | Throwable", "L0 L1 L2 any", "under the exception handler", 0},
    {"<init>(BBB)V", "1 4",
     "L0: nop L1: aload_0 invokespecial:super_init L3: return L2: athrow L4: athrow",
     "L2: this | Throwable; L4: T | Throwable", "L0 L1 L2 any; L3 L2 L4 any", 0, 0},
    {"<init>(C)V", "1 2", "aconst_null astore_0 return", 0, 0, "without having called", 0},
    // --- exception handlers ---
    {"handler(I)V", "1 1", "L0: iinc:0:1 return L1: pop return", "L1: int | Throwable",
     "L0 L1 L1 any", 0, 0},
    {"handlerNoFrame(I)V", "1 1", "L0: iinc:0:1 return L1: pop return", 0, "L0 L1 L1 any",
     "handler", 0},
    {"handlerType(I)V", "1 1", "L0: iinc:0:1 return L1: pop return", "L1: int | String",
     "L0 L1 L1 any", "Throwable where java/lang/String", 0},
    {"handlerCatch(I)V", "1 1", "L0: iinc:0:1 return L1: pop return", "L1: int | Error",
     "L0 L1 L1 Error", 0, 0},
    {"handlerNoThrowable(I)V", "1 1", "L0: iinc:0:1 return L1: pop return", "L1: int | Object",
     "L0 L1 L1 String", "caught type", 0},
    {"handlerDepth(I)V", "1 1", "L0: iinc:0:1 return L1: return", "L1: int |", "L0 L1 L1 any",
     "another depth", 0},
    {"handlerNoStack(I)V", "0 1", "L0: iinc:0:1 return L1: return", "L1: int |", "L0 L1 L1 any",
     "another depth", 0},
    {"handlerStore(I)V", "1 2", "L0: fconst_0 fstore_0 return L1: pop return",
     "L1: int | Throwable", "L0 L1 L1 any", "float where int", 0},
    {"handlerStoreLast(I)V", "1 2", "L0: fconst_0 fstore_0 L2: return L1: pop return",
     "L1: int | Throwable", "L0 L2 L1 any", 0, 0},
    {"handlerBefore()V", "1 1", "L0: iconst_0 istore_0 L2: return L1: pop return",
     "L1: int | Throwable", "L0 L1 L1 any", "top where int", 0},
    {"handlerAfter()V", "1 1", "iconst_0 istore_0 L2: return L1: pop return", "L1: int | Throwable",
     "L2 L1 L1 any", 0, 0},
    {"handlerSecondRange()V", "1 1",
     "iconst_0 istore_0 nop L2: fconst_0 fstore_0 L3: nop L4: return L1: pop return",
     "L1: int | Throwable", "L2 L3 L1 any; L3 L4 L1 any", "float where int", 0},
    {"handlerEmpty()V", "1 1", "L0: return L1: pop return", "L1: | Throwable", "L0 L0 L1 any",
     "not at instructions", 0},
    {"handlerInside()V", "1 1", "bipush:0 pop L0: return L1: pop return", "L1: | Throwable",
     "1 L0 L1 any", "not at instructions", 0},
    {"handlerOfNew(I)V", "2 1",
     "new:Object L0: nop L1: invokespecial:object_init return L2: pop return",
     "L2: int | Throwable", "L0 L1 L2 any", 0, 0},
    {"handlerNewLocal()V", "2 1",
     "new:Object astore_0 L0: aload_0 invokespecial:object_init L1: return L2: pop return",
     "L2: new@0 | Throwable", "L0 L1 L2 any", "Object where uninitialized", 0},
    // --- version 50: by inference when frames fail ---
    {"failover(I)V", "1 1", "L1: iinc:0:-1 iload_0 ifne:L1 return", 0, 0, 0, 50},

    // --- by inference: version 49, and 50 where frames fail ---
    {"failover(I)V", "1 1", "L1: iinc:0:-1 iload_0 ifne:L1 return", 0, 0, 0, 50},
    {"failoverBoth(I)V", "1 1", "L1: fload_0 pop goto:L1", 0, 0, "int where float", 50},
    {"loop(I)V", "1 1", "L1: iinc:0:-1 iload_0 ifne:L1 return", 0, 0, 0, 49},
    {"unreached()V", "1 0", "return fconst_0 iadd nop", 0, 0, 0, 49},
    {"fallsOff()V", "1 0", "nop", 0, 0, "falls off", 49},
    {"framesIgnored(I)V", "1 1", "nop L1: return", "L1: float |", 0, 0, 49},
    {"mergesToTop(I)I", "1 2",
     "iload_0 ifeq:L1 fconst_0 fstore_1 goto:L2 L1: iconst_0 istore_1 L2: iload_1 ireturn", 0, 0,
     "top where int", 49},
    {"mergesInts(I)I", "1 2",
     "iload_0 ifeq:L1 iconst_1 istore_1 goto:L2 L1: iconst_0 istore_1 L2: iload_1 ireturn", 0, 0, 0,
     49},
    {"mergesStack(I)I", "1 1", "iload_0 ifeq:L1 fconst_0 goto:L2 L1: iconst_0 L2: ireturn", 0, 0,
     "where control meets", 49},
    {"mergesDepths(I)V", "2 1", "iload_0 ifeq:L1 iconst_0 L1: return", 0, 0, "two depths", 49},
    {"mergesNull(I)I", "1 1",
     "iload_0 ifeq:L1 aconst_null goto:L2 L1: ldc:#string L2: invokevirtual:length ireturn", 0, 0,
     0, 49},
    {"mergesClasses(I)V", "1 1",
     "iload_0 ifeq:L1 ldc:T goto:L2 L1: ldc:#string L2: invokevirtual:hashCode pop return", 0, 0, 0,
     49},
    {"mergesToObject(I)I", "1 1",
     "iload_0 ifeq:L1 ldc:T goto:L2 L1: ldc:#string L2: invokevirtual:length ireturn", 0, 0,
     "where java/lang/String", 49},
    {"mergesArrays(I)I", "1 1",
     "iload_0 ifeq:L1 aconst_null checkcast:ints goto:L2 L1: aconst_null checkcast:bytes L2: "
     "arraylength ireturn",
     0, 0, "the array", 49},
    {"mergesArraysToObject(I)I", "1 1",
     "iload_0 ifeq:L1 aconst_null checkcast:ints goto:L2 L1: aconst_null checkcast:bytes L2: "
     "invokevirtual:hashCode ireturn",
     0, 0, 0, 49},
    {"mergesObjectArrays(I)I", "1 1",
     "iload_0 ifeq:L1 aconst_null checkcast:strings goto:L2 L1: aconst_null checkcast:objects L2: "
     "arraylength ireturn",
     0, 0, 0, 49},
    {"loopChanges(I)V", "1 2", "iconst_0 istore_1 L1: iload_1 pop fconst_0 fstore_1 goto:L1", 0, 0,
     "top where int", 49},
    {"handler(I)I", "1 1", "L0: iinc:0:1 iload_0 ireturn L1: pop iload_0 ireturn", 0,
     "L0 L1 L1 any", 0, 49},
    {"handlerStore(I)I", "1 1", "L0: fconst_0 fstore_0 iconst_0 ireturn L1: pop iload_0 ireturn", 0,
     "L0 L1 L1 any", "top where int", 49},
    {"handlerStoreLast(I)I", "1 1",
     "L0: fconst_0 fstore_0 L2: iconst_0 ireturn L1: pop iload_0 ireturn", 0, "L0 L2 L1 any", 0,
     49},
    {"switchPaddingOld(I)V", "1 1", "iload_0 0xaa 0 1 0 0 0 19 0 0 0 1 0 0 0 1 0 0 0 19 L1: return",
     0, 0, "padded", 49},
    {"monitorNew()V", "1 0", "new:Object monitorenter return", 0, 0, "no reference", 49},
    {"newInLoop()V", "2 1", "L1: new:Object astore_0 goto:L1", 0, 0, 0, 49},
    {"newOnStackInLoop()V", "2 0", "new:Object pop L1: new:Object new:Object pop pop goto:L1", 0, 0,
     0, 49},
    {"<init>()V", "1 1", "aload_0 invokespecial:super_init return", 0, 0, 0, 49},
    {"<init>(I)V", "1 2", "iload_1 ifeq:L1 aload_0 invokespecial:super_init L1: return", 0, 0,
     "without having called", 49},
    {"<init>(F)V", "1 2", "L0: aload_0 invokespecial:super_init L1: return L2: pop return", 0,
     "L0 L1 L2 any", "", 49},
    {"<init>(J)V", "1 3", "L0: aload_0 invokespecial:super_init L1: return L2: athrow", 0,
     "L0 L1 L2 any", 0, 49},
    {"<init>(C)V", "2 2",
     "aload_0 aload_0 putfield:T_field aload_0 invokespecial:super_init return", 0, 0, 0, 49},
    {"<init>(D)V", "2 3",
     "aload_0 aload_0 putfield:T_field aload_0 invokespecial:super_init return", 0, 0,
     "uninitializedThis where t/T", 0},
    // --- subroutines ---
    {"subroutine()V", "1 1", "jsr:L1 return L1: astore_0 ret:0", 0, 0, 0, 49},
    {"subroutineWide()V", "1 1", "jsr_w:L1 return L1: astore_0 wide ret:0", 0, 0, 0, 49},
    {"subroutineTwice(I)I", "1 3",
     "jsr:L1 fconst_0 fstore_1 jsr:L1 iload_0 ireturn L1: astore_2 ret:2", 0, 0, 0, 49},
    {"subroutineKeeps(I)F", "1 3", "fconst_0 fstore_1 jsr:L1 fload_1 freturn L1: astore_2 ret:2", 0,
     0, 0, 49},
    {"subroutineKeepsEach()F", "1 3",
     "fconst_0 fstore_1 jsr:L1 fload_1 pop iconst_0 istore_1 jsr:L1 iload_1 pop fconst_0 freturn "
     "L1: astore_2 ret:2",
     0, 0, 0, 49},
    {"subroutineTouches()I", "1 3",
     "fconst_0 fstore_1 jsr:L1 iload_1 ireturn L1: astore_2 iconst_0 istore_1 ret:2", 0, 0, 0, 49},
    {"subroutineBreaks()F", "1 3",
     "fconst_0 fstore_1 jsr:L1 fload_1 freturn L1: astore_2 iconst_0 istore_1 ret:2", 0, 0,
     "int where float", 49},
    {"subroutineFar()V", "1 1", "jsr:L1 return L1: astore_0 ret:200", 0, 0, "no return address",
     49},
    {"subroutineFarLong()V", "3 1", "jsr:L1 return L1: lconst_0 lstore:200 pop ret:0", 0, 0,
     "max_locals", 49},
    {"subroutineNested()V", "1 2", "jsr:L1 return L1: astore_0 jsr:L2 ret:0 L2: astore_1 ret:1", 0,
     0, 0, 49},
    {"subroutineOfItself()V", "1 2", "jsr:L1 return L1: astore_0 jsr:L1 ret:0", 0, 0,
     "calls itself", 49},
    {"retTwice()V", "1 1", "jsr:L1 return L1: astore_0 jsr:L2 L2: pop ret:0", 0, 0, 0, 49},
    {"retOfInt()V", "1 1", "iconst_0 istore_0 ret:0", 0, 0, "no return address", 49},
    {"loadsAddress()V", "1 1", "jsr:L1 return L1: astore_0 aload_0 pop return", 0, 0,
     "return address", 49},
    {"neverReturns()V", "1 1", "jsr:L1 return L1: pop return", 0, 0, 0, 49},
    {"returnsTwoWays(I)V", "1 2", "jsr:L1 return L1: astore_1 iload_0 ifeq:L2 ret:1 L2: ret:1", 0,
     0, "two rets", 49},
    {"jsrOverflows()V", "0 1", "jsr:L1 return L1: astore_0 ret:0", 0, 0, "max_stack 0", 49},
    {"newIntoSubroutine()V", "2 2",
     "new:Object astore_1 jsr:L1 aload_1 pop return L1: astore_0 ret:0", 0, 0, 0, 49},
    {"finally(I)I", "2 4",
     "L0: iload_0 istore_1 jsr:L2 iload_1 ireturn L1: astore_2 jsr:L2 aload_2 athrow L2: astore_3 "
     "iinc:0:1 ret:3",
     0, "L0 L1 L1 any", 0, 49},
};
enum { CASES = sizeof cases / sizeof *cases };

static enum cf_status verify_by(cf_assignable *assignable, const uint8_t *bytes, size_t length,
                                char *text, size_t size) {
    struct cf_class cls;
    struct cf_verify_failure failure;
    ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
    enum cf_status status = cf_verify_class(&cls, assignable, NULL, &failure);
    text[0] = '\0';
    if (status != CF_OK) cf_verify_text(&cls, &failure, text, size);
    return status;
}

static enum cf_status verify(const uint8_t *bytes, size_t length, char *text, size_t size) {
    return verify_by(NULL, bytes, length, text, size);
}

static int knows_nothing(void *context, struct cf_slice from, struct cf_slice to) {
    return context || !from.bytes || !to.bytes ? 0 : -1;
}

START_TEST(code_is_verified) {
    const struct verify_case *t = &cases[_i];
    char text[500];
    size_t length;
    uint8_t *bytes = verify_build(t, &length);
    enum cf_status status = verify(bytes, length, text, sizeof text);
    free(bytes);
    ck_assert_msg((status == CF_OK) == !t->reason, "%s: %s", t->name, text);
    ck_assert_msg(!t->reason || status == CF_UNVERIFIABLE, "%s: status %d", t->name, status);
    ck_assert_msg(!t->reason || strstr(text, t->reason), "%s: %s", t->name, text);
}
END_TEST

// Where the caller could be asked, the careful check alone decides.
START_TEST(the_quick_check_changes_no_verdict) {
    char text[500], careful[500];
    size_t length;
    uint8_t *bytes = verify_build(&cases[_i], &length);
    enum cf_status status = verify(bytes, length, text, sizeof text);
    ck_assert_int_eq(verify_by(knows_nothing, bytes, length, careful, sizeof careful), status);
    ck_assert_str_eq(text, careful);
    free(bytes);
}
END_TEST

// Else all would pass all the same, but slowly.
START_TEST(what_compilers_make_passes_the_quick_check) {
    static const struct verify_case common[] = {
        {"sum([I)J", "4 4",
         "lconst_0 lstore_1 iconst_0 istore_3 L1: iload_3 aload_0 arraylength if_icmpge:L2 lload_1 "
         "aload_0 iload_3 iaload i2l ladd lstore_1 iinc:3:1 goto:L1 L2: lload_1 lreturn",
         "L1: ints long int |; L2: ints long int |", 0, 0, 0},
        {"longs()J", "4 0", "lconst_1 ldc2_w:#long lsub lreturn", 0, 0, 0, 0},
        {"pair(II)I", "2 2", "iload_0 iload_1 imul ireturn", 0, 0, 0, 0},
    };
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++) {
        struct cf_class cls;
        struct cf_verify_failure failure;
        size_t length;
        uint8_t *bytes = verify_build(&common[i], &length);
        ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
        struct cf_verifier *v = cf_verifier_new(&cls, NULL, NULL);
        for (unsigned m = 0; m < cls.methods_count; m++)
            ck_assert_int_eq(cf_verify_method(v, &cls.methods[m], &failure), CF_OK);
        ck_assert_msg(v->quick && !v->memo, "%s: not by the quick check", common[i].name);
        free(bytes);
    }
}
END_TEST

START_TEST(the_quick_table_agrees_with_the_table_of_opcodes) {
    unsigned compared = 0;
    for (unsigned op = 0; op < 256; op++) {
        const struct cf_qrow *row = &cf_q_rows[op];
        if (op >= CF_OPCODE_COUNT) ck_assert_uint_eq(row->kind, CF_Q_REFUSE);
        if (row->kind == CF_Q_REFUSE) continue;
        ck_assert_msg(row->length == cf_lengths[op], "%s: length", cf_opcodes[op].name);
        // Returns take all there is; nobody looks at the stack then.
        if (row->kind < CF_Q_PUSH || row->kind >= CF_Q_RETURN_VALUE) continue;
        ck_assert_msg(row->net == cf_nets[op], "%s: net %d", cf_opcodes[op].name, row->net);
        compared++;
    }
    ck_assert_uint_gt(compared, 100);
}
END_TEST

// What is neither true nor false for one class is asked for.
static int answer(void *context, struct cf_slice from, struct cf_slice to) {
    return CF_IS(from, "x/A") && CF_IS(to, "x/B") ? *(int *)context : -1;
}

START_TEST(the_caller_may_know_other_classes) {
    static const struct verify_case t = {"f(Lx/A;)Lx/B;", "1 1", "aload_0 areturn", 0, 0, 0, 0};
    size_t length;
    uint8_t *bytes = verify_build(&t, &length);
    for (int known = -1; known <= 1; known++) {
        struct cf_class cls;
        struct cf_verify_failure failure;
        ck_assert_int_eq(cf_class_open(&cls, bytes, length, &arena), CF_OK);
        ck_assert_int_eq(cf_verify_class(&cls, answer, &known, &failure),
                         known == 0 ? CF_UNVERIFIABLE : CF_OK);
    }
    free(bytes);
}
END_TEST

// if (p) ; x = 1; super(); in a value class: `unset` strict fields are in front of the frame.
static void verify_value_class(unsigned unset, enum cf_status expected, const char *reason) {
    struct build b;
    build_class_file(&b, 72, CF_ACC_FINAL, "V");
    b.minor_version = 65535;
    unsigned x = build_reference(&b, CF_TAG_FIELDREF, "V", "x", "I");
    unsigned x_type = build_name_and_type(&b, "x", "I");
    unsigned init = build_reference(&b, CF_TAG_METHODREF, "java/lang/Object", "<init>", "()V");
    uint8_t code[] = {CF_OP_iload_1,
                      CF_OP_ifeq,
                      0,
                      3,
                      CF_OP_aload_0,
                      CF_OP_iconst_1,
                      CF_OP_putfield,
                      0,
                      0,
                      CF_OP_aload_0,
                      CF_OP_invokespecial,
                      0,
                      0,
                      CF_OP_return};
    cf_put2(code + 7, x), cf_put2(code + 11, init);
    build_u2(&b, 1);
    build_member(&b, CF_ACC_STRICT | CF_ACC_FINAL, "x", "I", 0);
    build_u2(&b, 1);
    build_member(&b, 0, "<init>", "(I)V", 1);
    size_t place = build_code(&b, 2, 2, code, sizeof code);
    build_u2(&b, 0), build_u2(&b, 1);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1), build_u1(&b, 246), build_u2(&b, unset);
    if (unset) build_u2(&b, x_type);
    build_u1(&b, 4);
    build_end(&b, frames), build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    char text[500] = "";
    ck_assert_int_eq(verify(bytes, length, text, sizeof text), expected);
    ck_assert_msg(strstr(text, reason), "%s", text);
    free(bytes);
}

START_TEST(frames_tell_which_strict_fields_are_not_set) {
    verify_value_class(1, CF_OK, "");
    verify_value_class(0, CF_UNVERIFIABLE, "strict fields are not set, other than in the frame");
}
END_TEST

// Local 1 changes with every second instruction, within as many entries of the exception table, all
// with a handler that names it.
static enum cf_status verify_busy(unsigned changes, unsigned entries, char *text, size_t size) {
    struct build b;
    struct build_bytes code = {NULL, 0, 0};
    build_class_file(&b, 52, CF_ACC_PUBLIC, "t/T");
    unsigned object = build_class(&b, "java/lang/Object");
    unsigned throwable = build_class(&b, "java/lang/Throwable");
    for (unsigned i = 0; i < changes; i++) {
        build_append_number(&code, i & 1 ? CF_OP_aload_0 : CF_OP_aconst_null, 1);
        build_append_number(&code, CF_OP_astore_1, 1);
    }
    unsigned handler = (unsigned)code.length + 1;
    build_append_number(&code, CF_OP_return << 8 | CF_OP_athrow, 2);
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "(Ljava/lang/Object;)V", 1);
    size_t place = build_code(&b, 1, 2, code.bytes, code.length);
    build_u2(&b, entries);
    for (unsigned i = 0; i < entries; i++)
        build_u2(&b, 2), build_u2(&b, handler), build_u2(&b, handler), build_u2(&b, 0);
    build_u2(&b, 1);
    size_t frames = build_attribute(&b, "StackMapTable");
    build_u2(&b, 1), build_u1(&b, 255), build_u2(&b, handler), build_u2(&b, 2);
    for (unsigned i = 0; i < 2; i++) build_u1(&b, 7), build_u2(&b, object);
    build_u2(&b, 1), build_u1(&b, 7), build_u2(&b, throwable);
    build_end(&b, frames), build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    enum cf_status status = verify(bytes, length, text, size);
    free(bytes), free(code.bytes);
    return status;
}

START_TEST(verification_takes_no_longer_than_real_code_needs) {
    char text[500];
    ck_assert_int_eq(verify_busy(2000, 1000, text, sizeof text), CF_OK);
    ck_assert_int_eq(verify_busy(32000, 65535, text, sizeof text), CF_LIMIT);
    ck_assert_msg(strstr(text, "takes too long to check"), "%s", text);
}
END_TEST

// Inference: NESTED subroutines in each other, and innermost a switch that leads back WAYS times,
// in front of which one more local is known to be a String with each time it is gone through. Each
// way looks at what NESTED subroutines have touched of 65,535 locals.
static enum cf_status infer_busy(unsigned nested, unsigned locals, unsigned ways, char *text,
                                 size_t size) {
    struct build b;
    struct build_bytes code = {NULL, 0, 0};
    build_class_file(&b, 49, CF_ACC_PUBLIC, "t/T");
    for (unsigned i = 1; i < locals; i++)
        build_append_number(&code, CF_OP_aconst_null << 16 | CF_OP_astore << 8 | i, 3);
    for (unsigned i = 0; i < nested; i++) build_append_number(&code, CF_OP_jsr << 16 | 3, 3);
    for (unsigned i = 0; i < nested; i++) build_append_number(&code, CF_OP_pop, 1);
    unsigned loop = (unsigned)code.length;
    for (unsigned i = locals - 1; i > 0; i--) {
        build_append_number(&code, CF_OP_aload << 8 | (i - 1), 2);
        build_append_number(&code, CF_OP_astore << 8 | i, 2);
    }
    build_append_number(&code, CF_OP_iconst_0, 1);
    unsigned at = (unsigned)code.length;
    build_append_number(&code, CF_OP_tableswitch, 1);
    while (code.length & 3) build_append_number(&code, 0, 1);
    build_append_number(&code, loop - at, 4);
    build_append_number(&code, 0, 4), build_append_number(&code, ways - 1, 4);
    for (unsigned i = 0; i < ways; i++) build_append_number(&code, loop - at, 4);
    build_u2(&b, 0), build_u2(&b, 1);
    build_member(&b, CF_ACC_STATIC, "f", "(Ljava/lang/String;)V", 1);
    size_t place = build_code(&b, nested + 1, 65535, code.bytes, code.length);
    build_u2(&b, 0), build_u2(&b, 0);
    build_end(&b, place), build_u2(&b, 0);
    size_t length;
    uint8_t *bytes = build_finish(&b, &length);
    enum cf_status status = verify(bytes, length, text, size);
    free(bytes), free(code.bytes);
    return status;
}

START_TEST(inference_takes_no_longer_than_real_code_needs) {
    char text[500];
    ck_assert_msg(infer_busy(2, 10, 20, text, sizeof text) == CF_OK, "%s", text);
    ck_assert_int_eq(infer_busy(52, 200, 14000, text, sizeof text), CF_LIMIT);
    ck_assert_msg(strstr(text, "takes too long to check"), "%s", text);
}
END_TEST

// Records as Judge.java reads them.
static int write_cases(const char *path) {
    FILE *out = fopen(path, "wb");
    if (!out) return 2;
    for (int i = 0; i < CASES; i++) {
        uint8_t head[6];
        size_t length, n = cases[i].reason ? strlen(cases[i].name) : 0;
        uint8_t *bytes = verify_build(&cases[i], &length);
        cf_put2(head, (uint32_t)n);
        cf_put4(head + 2, (uint32_t)length);
        fwrite(head, 1, 2, out), fwrite(cases[i].name, 1, n, out);
        fwrite(head + 2, 1, 4, out), fwrite(bytes, 1, length, out);
        free(bytes);
    }
    return fclose(out) == 0 ? 0 : 2;
}

int main(int argc, char **argv) {
    if (argc > 1) return write_cases(argv[1]);
    Suite *suite = suite_create("verify");
    TCase *tests = tcase_create("verify");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, code_is_verified, 0, CASES);
    tcase_add_loop_test(tests, the_quick_check_changes_no_verdict, 0, CASES);
    tcase_add_test(tests, what_compilers_make_passes_the_quick_check);
    tcase_add_test(tests, the_quick_table_agrees_with_the_table_of_opcodes);
    tcase_add_test(tests, the_caller_may_know_other_classes);
    tcase_add_test(tests, frames_tell_which_strict_fields_are_not_set);
    tcase_add_test(tests, verification_takes_no_longer_than_real_code_needs);
    tcase_add_test(tests, inference_takes_no_longer_than_real_code_needs);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
