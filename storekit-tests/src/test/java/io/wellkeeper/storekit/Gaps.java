package io.wellkeeper.storekit;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.DistributedReadWriteLock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** Views of a read-write lock that let others in where nobody may come. */
final class Gaps {

    private Gaps() {}

    /** Waits by trying, so that nobody keeps its place. */
    static DistributedLock impatientReader(DistributedReadWriteLock sound, Method unused, @Nullable Object[] none) {
        DistributedLock read = sound.readLock();
        return instead(read, "lock", () -> {
            while (!read.tryLock()) {
                Thread.onSpinWait();
            }
        });
    }

    /** Lets everything go before it reads on. */
    static DistributedLock downgradeWithGap(DistributedReadWriteLock sound, Method unused, @Nullable Object[] none) {
        DistributedLock write = sound.writeLock();
        return instead(write, "unlock", () -> {
            boolean reads = sound.readLock().isHeldByCurrentThread();
            if (reads) {
                sound.readLock().unlock();
            }
            write.unlock();
            if (reads) {
                sound.readLock().lock();
            }
        });
    }

    private static DistributedLock instead(DistributedLock sound, String broken, Runnable bug) {
        return (DistributedLock) Proxy.newProxyInstance(
                DistributedLock.class.getClassLoader(),
                new Class<?>[] {DistributedLock.class},
                (self, method, arguments) -> {
                    if (method.getName().equals(broken)) {
                        bug.run();
                        return null;
                    }
                    try {
                        return method.invoke(sound, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }
}
