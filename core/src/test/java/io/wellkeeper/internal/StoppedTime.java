package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.spi.Time;
import java.time.Duration;

/** Nothing that is scheduled is ever due. */
final class StoppedTime implements Time {

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public Registration schedule(Duration delay, Runnable task) {
        return Registration.NONE;
    }
}
