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
 * Has no request of a session be carried out late. For each era of the session an ephemeral node stands beside the locks, and what must
 * not be late is one transaction with something that fails without that node. When the answer of such a request is lost, a thread of
 * the server may stand still with it, and the session come back by another. So the era is over then, and its node is removed before
 * the next one begins: what was asked for in it, and has not been carried out by then, never will be.
 *
 * <p>Where a node may not be made, or not be written, there is no era, and nothing that a request could demand.
 */
final class Eras {

    static final String NONE = "";

    private static final byte[] NOTHING = {};

    private final Link link;
    private volatile String over = NONE; // the era whose node is to be removed before another one begins
    private @Nullable CompletableFuture<String> current; // guarded by this; null until somebody asks

    Eras(Link link) {
        this.link = link;
    }

    /**
     * The node of the era that there is, or that begins with this call; {@link #NONE} if there can be none.
     *
     * @return fails with {@link io.wellkeeper.LockStoreException} if nobody knows whether the last one is over; who asks again
     *     tries again
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

    /** Nobody knows if a request of this era was carried out, or will be. */
    private void over(String era) {
        synchronized (this) {
            if (era.equals(NONE) || current == null || !era.equals(current.getNow(NONE))) {
                return;
            }
            over = era;
            current = null;
        }
        removeSurely(era); // also if another one cannot be begun now, and nobody needs one any more
        current(); // whoever looks what has become of the request finds what is true for good
    }

    /**
     * Whether a transaction, of which the first operation demands the era, was not carried out because the era was over. It is over
     * from now on, too, if nobody knows whether the transaction was carried out.
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
     * From now on there is none.
     *
     * @return completes when no node is left, or the session has ended; never fails
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

    /** By a name that was never used before: the request for it may be carried out late, too. */
    private void begin(CompletableFuture<String> era, boolean withParents) {
        String node = link.site().pathBeside(UUID.randomUUID().toString());
        if (!over.equals(NONE)) {
            remove(over);
        }
        if (withParents) {
            link.createParents(link.site().ancestors(node), (path, code) -> {});
        }
        List<Op> creation = List.of(
                Op.create(node, NOTHING, link.site().aclOf(node), CreateMode.EPHEMERAL), stamp(node), demand(node));
        link.requests()
                .multi(
                        creation,
                        (code, path, context, results) -> {
                            if (code == Code.OK.intValue() && over.equals(NONE)) {
                                era.complete(node);
                            } else if (code == Code.OK.intValue()) { // the connection was lost before, with the removal
                                removeSurely(node);
                                begin(era, false);
                            } else if (Link.mayPass(code)) {
                                if (Link.unknown(code)) { // else it was not made
                                    removeSurely(node);
                                }
                                fail(era, code);
                            } else if (code == Code.NONODE.intValue() && !withParents) {
                                begin(era, true);
                            } else {
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

    private void fail(CompletableFuture<String> era, int code) {
        synchronized (this) {
            current = current == era ? null : current;
        }
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
