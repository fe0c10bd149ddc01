package io.wellkeeper.zookeeper;

import io.wellkeeper.testservers.TcpProxy;
import io.wellkeeper.testservers.TcpProxy.Fate;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Reads what ZooKeeper's client sends, and loses some of it. */
final class Requests implements TcpProxy.Rule {

    private static final int PING = -2; // the number that the client gives to its own pings

    private final Queue<String> seen = new ConcurrentLinkedQueue<>(); // a burst sends a hundred thousand
    private final AtomicInteger left = new AtomicInteger();
    private volatile String victim = "";
    private volatile Fate fate = Fate.FORWARD;
    private final AtomicReference<Runnable> intruder = new AtomicReference<>(() -> {});

    /** The kinds of requests since the last call. */
    List<String> seen() {
        List<String> taken = new ArrayList<>();
        for (String kind = seen.poll(); kind != null; kind = seen.poll()) {
            taken.add(kind);
        }
        return taken;
    }

    /** Loses the next requests of a kind, or their replies. */
    void lose(Fate fate, String kind, int count) {
        this.fate = fate;
        this.victim = kind;
        left.set(count);
    }

    /** Does something before the next listing goes on its way. */
    void beforeListing(Runnable action) {
        intruder.set(action);
    }

    @Override
    public Fate decide(ByteBuffer request) {
        if (request.getInt(0) < 1) { // beginning a session has 0 here; pings and watches set again are negative
            if (request.getInt(0) != PING) {
                seen.add("connect");
            }
            return Fate.FORWARD;
        }
        String kind = switch (request.getInt(4)) {
            case 1, 15 -> "create";
            case 2 -> "delete";
            case 3 -> "exists";
            case 4 -> "getData";
            case 5 -> "setData";
            case 8, 12 -> "list";
            case 9 -> "sync";
            case 14 -> "multi";
            case 18 -> "removeWatches";
            case 19 -> "createContainer";
            case -11 -> "closeSession";
            default -> "op" + request.getInt(4);
        };
        seen.add(kind);
        if (kind.equals("list")) {
            intruder.getAndSet(() -> {}).run();
        }
        return kind.equals(victim) && left.getAndUpdate(n -> Math.max(0, n - 1)) > 0 ? fate : Fate.FORWARD;
    }
}
