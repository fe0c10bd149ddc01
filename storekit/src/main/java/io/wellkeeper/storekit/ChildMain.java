package io.wellkeeper.storekit;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * What a {@link JavaProcess} runs: the wanted main class, beside a thread that ends the process when its standard input
 * ends. So no child outlives its parent, even if that one was killed.
 */
final class ChildMain {

    private ChildMain() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Thread watch = new Thread(ChildMain::endWithParent, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object)
                Arrays.copyOfRange(arguments, 1, arguments.length));
    }

    private static void endWithParent() {
        try {
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException ended) {
            // the same as its end
        }
        Runtime.getRuntime().halt(1);
    }
}
