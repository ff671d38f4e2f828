package gen;

import java.nio.file.Path;

/** Writes every generated class below the folder given. */
public final class Generate {
    public static void main(String[] args) {
        Unit.out = Path.of(args[0]);
        GenConstructors.all();
        GenFrames.all();
        GenCode.all();
        GenOld.all();
        GenLarge.all();
        GenConstants.all();
        GenNames.all();
    }
}
