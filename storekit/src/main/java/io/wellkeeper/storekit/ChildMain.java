package io.wellkeeper.storekit;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The main class of a {@link JavaProcess}. It runs the wanted main class, and a thread that ends the process when its
 * standard input ends. So no child outlives its parent, even if the parent was killed.
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
            // treated like the end of the input
        }
        Runtime.getRuntime().halt(1);
    }
}
