package io.wellkeeper.torture;

import io.wellkeeper.testservers.TcpProxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A fault of one of the requests that a worker sends from now on; they are counted over all its connections. */
final class RequestFault implements TcpProxy.Rule {

    /** What the fault does. */
    enum Effect {
        /** The worker is stopped before it has the answer. */
        PAUSE,
        /** The request is carried out, and the connection breaks before the answer. */
        LOSE_REPLY,
        /** The same, and the next request of its kind is refused. */
        LOSE_REPLY_AND_REFUSE
    }

    private final Servers.Protocol protocol;
    private final Effect effect;
    private final AtomicInteger left; // how many requests are left until the one that is met
    private final int error;
    private final Runnable pause;
    private final Set<String> stoppedAt;
    private final Set<String> refused = ConcurrentHashMap.newKeySet(); // the kind of which the next request is refused
    private final CountDownLatch met = new CountDownLatch(1);

    /**
     * @param protocol of the requests
     * @param effect what the fault does
     * @param which the number of the request that is met: 1 is the next one
     * @param error the number of the error with which a request is refused
     * @param pause stops the worker
     * @param stoppedAt the kinds of requests at which workers have been stopped; the first request of any other kind is
     *     met, whatever its number
     */
    RequestFault(
            Servers.Protocol protocol, Effect effect, int which, int error, Runnable pause, Set<String> stoppedAt) {
        this.protocol = protocol;
        this.effect = effect;
        this.left = new AtomicInteger(which);
        this.error = error;
        this.pause = pause;
        this.stoppedAt = stoppedAt;
    }

    @Override
    public TcpProxy.Fate decide(ByteBuffer request) {
        Optional<String> kind = protocol.kind(request);
        if (kind.isEmpty()) {
            return TcpProxy.Fate.FORWARD;
        }
        if (refused.remove(kind.get())) {
            return TcpProxy.Fate.ANSWER;
        }
        boolean isNew = effect == Effect.PAUSE && met.getCount() > 0 && stoppedAt.add(kind.get());
        if (!isNew && left.decrementAndGet() != 0) {
            return TcpProxy.Fate.FORWARD;
        }
        if (effect == Effect.PAUSE) {
            pause.run();
        } else if (effect == Effect.LOSE_REPLY_AND_REFUSE) {
            refused.add(kind.get());
        }
        met.countDown();
        return effect == Effect.PAUSE ? TcpProxy.Fate.FORWARD : TcpProxy.Fate.LOSE_REPLY;
    }

    @Override
    public byte[] answer(ByteBuffer request) {
        return protocol.refuse(request, error);
    }

    /** Waits until a request was met, or until the time has passed. */
    void await(Duration longest) {
        try {
            boolean ignored = met.await(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
