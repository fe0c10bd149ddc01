package io.wellkeeper.spring.boot;

import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells several listeners, in their order, even if one of them throws an exception. */
final class LockListeners implements LockListener {

    private static final Logger LOG = LoggerFactory.getLogger(LockListeners.class);

    private final List<LockListener> all;

    LockListeners(List<LockListener> all) {
        this.all = List.copyOf(all);
    }

    private void tell(Consumer<LockListener> event) {
        for (LockListener each : all) {
            try {
                event.accept(each);
            } catch (RuntimeException | Error thrown) {
                LOG.warn("a listener of locks has thrown", thrown);
            }
        }
    }

    @Override
    public void contended(Acquisition what) {
        tell(each -> each.contended(what));
    }

    @Override
    public void acquired(Acquisition what, Duration waited) {
        tell(each -> each.acquired(what, waited));
    }

    @Override
    public void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {
        tell(each -> each.gaveUp(what, waited, outcome, failure));
    }

    @Override
    public void handedOver(Acquisition what) {
        tell(each -> each.handedOver(what));
    }

    @Override
    public void partlyReleased(Acquisition what, int permits) {
        tell(each -> each.partlyReleased(what, permits));
    }

    @Override
    public void released(Acquisition what, Duration held) {
        tell(each -> each.released(what, held));
    }

    @Override
    public void lost(Acquisition what, Duration held, String reason) {
        tell(each -> each.lost(what, held, reason));
    }

    @Override
    public void storeTrouble(String store, String problem) {
        tell(each -> each.storeTrouble(store, problem));
    }
}
