package io.wellkeeper.zookeeper;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests of a session from being carried out late. Each era of the session has an ephemeral node beside the
 * locks. A request that must not be late is one transaction with an operation that fails without that node. When the
 * answer to such a request is lost, a stalled thread of the server may still have the request, while the session goes
 * on through another thread. So the era is over then, and its node is removed before the next era begins. A request of
 * the old era that has not been carried out by then never will be.
 *
 * <p>If the access rights do not allow to create or write such a node, or a quota does not just now, there is no era, and
 * requests are not protected.
 */
final class Eras {

    static final String NONE = "";

    private static final byte[] NOTHING = {};

    private final Link link;
    private volatile String over = NONE; // the era whose node is to be removed before another one begins
    private @Nullable CompletableFuture<String> current; // guarded by this; null until an era is asked for

    Eras(Link link) {
        this.link = link;
    }

    /**
     * The node of the current era, or of one that begins with this call; {@link #NONE} if there can be no era.
     *
     * @return fails with {@link io.wellkeeper.LockStoreException} if the era cannot be begun now;
     *     the next call tries again
     */
    CompletableFuture<String> current() {
        CompletableFuture<String> next;
        synchronized (this) {
            if (current != null) {
                return current;
            }
            next = new CompletableFuture<>();
            current = next;
        }
        begin(next, false);
        return next;
    }

    /** Ends an era, because it is not known whether one of its requests was carried out, or will be. */
    private void over(String era) {
        synchronized (this) {
            if (era.equals(NONE) || current == null || !era.equals(current.getNow(NONE))) {
                return;
            }
            over = era;
            current = null;
        }
        removeSurely(era); // also if no other era can be begun now, or is needed later
        current(); // removes the node first, so a later read shows for good whether the request was carried out
    }

    /**
     * Whether a transaction, whose first operation demands the era, was not carried out because the era was over. If it
     * is unknown whether the transaction was carried out, this call ends the era.
     */
    boolean wasOver(String era, int code, @Nullable List<OpResult> results) {
        boolean was = !era.equals(NONE)
                && results != null
                && results.get(0) instanceof ErrorResult error
                && error.getErr() == Code.NONODE.intValue();
        if (was || Link.unknown(code)) {
            over(era);
        }
        return was;
    }

    /**
     * Ends the current era; no other one begins.
     *
     * @return completes when no node of an era is left, or the session has ended; never fails
     */
    CompletionStage<Void> end() {
        CompletableFuture<String> last;
        synchronized (this) {
            last = current == null ? CompletableFuture.completedFuture(NONE) : current;
            current = CompletableFuture.completedFuture(NONE);
        }
        return removeSurely(over)
                .thenCompose(removed -> last.exceptionally(failure -> NONE).thenCompose(this::removeSurely));
    }

    private CompletionStage<Void> removeSurely(String era) {
        return era.equals(NONE) ? CompletableFuture.completedFuture(null) : link.deleteSurely(era);
    }

    /** Begins an era with a new name, because the request that creates its node may be carried out late, too. */
    private void begin(CompletableFuture<String> era, boolean withParents) {
        String node = link.site().pathBeside(UUID.randomUUID().toString());
        if (!over.equals(NONE)) {
            remove(over);
        }
        boolean[] full = new boolean[1]; // whether a quota refuses a parent; the next era may find room
        if (withParents) {
            link.createParents(
                    link.site().ancestors(node), (path, code) -> full[0] |= code == Code.QUOTAEXCEEDED.intValue());
        }
        List<Op> creation = List.of(
                Op.create(node, NOTHING, link.site().aclOf(node), CreateMode.EPHEMERAL), stamp(node), demand(node));
        link.requests()
                .multi(
                        creation,
                        (code, path, context, results) -> {
                            if (code == Code.OK.intValue() && over.equals(NONE)) {
                                era.complete(node);
                            } else if (code == Code.OK.intValue()) { // the removal of the old node failed before
                                removeSurely(node);
                                begin(era, false);
                            } else if (Link.mayPass(code)) {
                                if (Link.unknown(code)) { // otherwise the node was not created
                                    removeSurely(node);
                                }
                                fail(era, code);
                            } else if (code == Code.NONODE.intValue() && !withParents) {
                                begin(era, true);
                            } else {
                                if (full[0] || code == Code.QUOTAEXCEEDED.intValue()) {
                                    forget(era);
                                }
                                era.complete(NONE);
                            }
                        },
                        null);
    }

    private void remove(String node) {
        link.requests()
                .delete(
                        node,
                        -1,
                        (code, path, context) -> {
                            if (!Link.mayPass(code)) {
                                over = NONE;
                            }
                        },
                        null);
    }

    private synchronized void forget(CompletableFuture<String> era) {
        current = current == era ? null : current;
    }

    private void fail(CompletableFuture<String> era, int code) {
        forget(era);
        era.completeExceptionally(
                link.failure(code, "begin an era by", link.site().root()));
    }

    /** A change that fails without the node of the era. */
    static List<Op> within(String era, Op change) {
        return era.equals(NONE) ? List.of(change) : List.of(demand(era), change);
    }

    private static Op demand(String era) {
        return Op.check(era, -1);
    }

    /** As {@link #within}; the first result has the {@code zxid} of the transaction, as {@code mzxid}. */
    static List<Op> stamped(String era, Op change) {
        return era.equals(NONE) ? List.of(change) : List.of(stamp(era), change);
    }

    private static Op stamp(String era) {
        return Op.setData(era, NOTHING, -1);
    }
}
