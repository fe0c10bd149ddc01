package io.wellkeeper.cli.run;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/**
 * A signal of the operating system.
 *
 * @param name without {@code SIG}
 * @param number the kernel's number of the signal
 */
record OsSignal(String name, int number) {

    /**
     * Lets a signal be handled here instead of by the JVM. Does nothing if that is not possible: if the JVM uses the
     * signal itself, or the process was started to ignore it ({@code nohup}).
     *
     * <p>{@code sun.misc.Signal} is the only way the JDK offers. It is supported, but the compiler warns of it and the
     * warning cannot be switched off, hence the reflection.
     *
     * @param name without {@code SIG}
     * @param handler runs on a thread of its own for each signal
     */
    static void handle(String name, Consumer<OsSignal> handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> signalHandler = Class.forName("sun.misc.SignalHandler");
            Object instance = signal.getConstructor(String.class).newInstance(name);
            OsSignal self =
                    new OsSignal(name, (int) signal.getMethod("getNumber").invoke(instance));
            Object proxy = Proxy.newProxyInstance(
                    OsSignal.class.getClassLoader(), new Class<?>[] {signalHandler}, (ignored, method, args) -> {
                        if (method.getName().equals("handle")) {
                            handler.accept(self);
                        }
                        return null;
                    });
            signal.getMethod("handle", signal, signalHandler).invoke(null, instance, proxy);
        } catch (InvocationTargetException refused) {
            if (!(refused.getCause() instanceof IllegalArgumentException)) {
                throw new IllegalStateException(refused);
            }
        } catch (ReflectiveOperationException noSignals) {
            throw new IllegalStateException(noSignals);
        }
    }
}
