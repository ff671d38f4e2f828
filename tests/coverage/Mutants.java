import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Mutants ROUNDS FROM TO: classes that are nearly those of compilers, so that reports show where patterns of filters begin and end. Each
 * gets a few changes to its instructions, handlers and flags, and a package of its round. They are read, not run: few would pass a verifier.
 */
public final class Mutants {
    private static final int[] FLAGS = {Opcodes.ACC_SYNTHETIC, Opcodes.ACC_BRIDGE,
                                        Opcodes.ACC_PRIVATE, Opcodes.ACC_STATIC,
                                        Opcodes.ACC_SYNCHRONIZED};

    private final Random random = new Random(4711);
    private MethodNode method;

    private Mutants() {}

    public static void main(String[] args) throws IOException {
        Mutants mutants = new Mutants();
        List<Path> files;
        try (Stream<Path> paths = Files.walk(Paths.get(args[1]))) {
            files = paths.filter(path -> path.toString().endsWith(".class"))
                        .sorted()
                        .collect(Collectors.toList());
        }
        Files.createDirectories(Paths.get(args[2]));
        for (int round = 0; round < Integer.parseInt(args[0]); round++)
            for (Path file : files) {
                ClassNode node = read(file);
                if (node == null) continue;
                mutants.change(node);
                String name = "round" + round + "/" + node.name;
                ClassWriter writer = new ClassWriter(0);
                node.accept(new ClassRemapper(writer, new SimpleRemapper(node.name, name)));
                Path target = Paths.get(args[2], name + ".class");
                Files.createDirectories(target.getParent());
                Files.write(target, writer.toByteArray());
            }
    }

    /** Null: it is of a release of Java that is newer than this ASM. */
    private static ClassNode read(Path file) throws IOException {
        ClassNode node = new ClassNode();
        try {
            new ClassReader(Files.readAllBytes(file)).accept(node, 0);
        } catch (IllegalArgumentException newer) {
            return null;
        }
        return node;
    }

    private boolean oneOf(int n) { return random.nextInt(n) == 0; }

    private <T> T any(List<T> list) { return list.get(random.nextInt(list.size())); }

    private void change(ClassNode node) {
        if (oneOf(15)) node.access ^= Opcodes.ACC_SYNTHETIC;
        for (MethodNode each : node.methods) {
            method = each;
            if (method.instructions.size() < 4 || oneOf(3)) continue;
            if (oneOf(20)) method.access ^= FLAGS[random.nextInt(FLAGS.length)];
            for (int edits = oneOf(3) ? 3 : 1; edits > 0; edits--) changeInstruction(node);
            if (oneOf(4) && !method.tryCatchBlocks.isEmpty()) changeHandler();
            end();
        }
    }

    /** The labels before instructions. */
    private List<LabelNode> labels() {
        List<LabelNode> found = new ArrayList<>(), waiting = new ArrayList<>();
        for (AbstractInsnNode node : method.instructions.toArray()) {
            if (node instanceof LabelNode) waiting.add((LabelNode)node);
            if (node.getOpcode() < 0) continue;
            found.addAll(waiting);
            waiting.clear();
        }
        return found;
    }

    private void changeInstruction(ClassNode node) {
        InsnList code = method.instructions;
        AbstractInsnNode place = code.get(random.nextInt(code.size()));
        while (place.getOpcode() < 0) place = code.get(random.nextInt(code.size()));
        AbstractInsnNode next = place.getNext();
        switch (random.nextInt(6)) {
        case 0:
            if (next != null && next.getOpcode() >= 0) code.remove(place);
            return;
        case 1:
            Map<LabelNode, LabelNode> same = new HashMap<>();
            for (LabelNode label : labels()) same.put(label, label);
            code.insert(place, place.clone(same));
            return;
        case 2:
            if (next == null || next.getOpcode() < 0) return;
            code.remove(place);
            code.insert(next, place);
            return;
        case 3: code.insert(place, new InsnNode(oneOf(2) ? Opcodes.NOP : Opcodes.DUP)); return;
        case 4:
            LabelNode label = new LabelNode();
            code.insert(place, label);
            code.insert(label, new LineNumberNode(1 + random.nextInt(60), label));
            return;
        default: changeOperand(node, place);
        }
    }

    private void changeOperand(ClassNode node, AbstractInsnNode place) {
        if (place instanceof VarInsnNode) ((VarInsnNode)place).var++;
        if (place instanceof FieldInsnNode) ((FieldInsnNode)place).name += "x";
        if (place instanceof TypeInsnNode)
            ((TypeInsnNode)place).desc = "java/lang/IllegalStateException";
        if (place instanceof JumpInsnNode && oneOf(2))
            ((JumpInsnNode)place).label = any(labels());
        else if (place instanceof JumpInsnNode && place.getOpcode() != Opcodes.GOTO)
            ((JumpInsnNode)place).setOpcode(Opcodes.IFEQ + random.nextInt(14));
        if (place instanceof LookupSwitchInsnNode)
            ((LookupSwitchInsnNode)place).dflt = any(labels());
        if (place instanceof TableSwitchInsnNode)
            ((TableSwitchInsnNode)place).labels.set(0, any(labels()));
        if (!(place instanceof MethodInsnNode)) return;
        MethodInsnNode call = (MethodInsnNode)place;
        if (oneOf(3))
            call.name = oneOf(2) ? "close" : call.name + "x";
        else if (oneOf(2))
            call.owner = oneOf(2) ? "java/lang/Object" : node.name;
        else
            call.desc = call.desc.replace(")", "I)");
    }

    private void changeHandler() {
        List<TryCatchBlockNode> handlers = method.tryCatchBlocks;
        TryCatchBlockNode handler = any(handlers);
        switch (random.nextInt(5)) {
        case 0: handlers.remove(handler); return;
        case 1: handler.type = handler.type == null ? "java/lang/Throwable" : null; return;
        case 2: handler.handler = any(labels()); return;
        case 3:
            handlers.add(new TryCatchBlockNode(handler.start, handler.end, handler.handler, null));
            return;
        default: Collections.swap(handlers, 0, handlers.size() - 1);
        }
    }

    /** Control does not fall off the end of the code. */
    private void end() {
        AbstractInsnNode last = method.instructions.getLast();
        while (last.getOpcode() < 0) last = last.getPrevious();
        int opcode = last.getOpcode();
        boolean ends = opcode == Opcodes.GOTO || opcode == Opcodes.ATHROW ||
                       opcode >= Opcodes.TABLESWITCH && opcode <= Opcodes.RETURN;
        if (ends) return;
        method.instructions.insert(last, new InsnNode(Opcodes.ATHROW));
        method.instructions.insert(last, new InsnNode(Opcodes.ACONST_NULL));
    }
}
