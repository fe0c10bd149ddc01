package io.wellkeeper.zookeeper;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.ErrorResult;
import org.jspecify.annotations.Nullable;

/**
 * Has no request of a session be carried out late. For each era of the session an ephemeral node stands below the root, and what must
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
    private final Set<String> over = ConcurrentHashMap.newKeySet(); // whose nodes may be there, or come
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
    synchronized void over(String era) {
        if (!era.equals(NONE) && current != null && era.equals(current.getNow(NONE))) {
            over.add(era);
            current = null;
        }
    }

    /** Whether a transaction, of which the first operation demands the era, was not carried out because the era was over. */
    boolean wasOver(String era, @Nullable List<OpResult> results) {
        boolean was = !era.equals(NONE)
                && results != null
                && results.get(0) instanceof ErrorResult error
                && error.getErr() == Code.NONODE.intValue();
        if (was) {
            over(era);
        }
        return was;
    }

    /** From now on there is none. */
    void end() {
        CompletableFuture<String> last;
        synchronized (this) {
            last = current;
            current = CompletableFuture.completedFuture(NONE);
        }
        over.forEach(link::deleteSurely);
        if (last != null) {
            last.thenAccept(era -> {
                if (!era.equals(NONE)) {
                    link.deleteSurely(era);
                }
            });
        }
    }

    /** By a name that was never used before: the request for it may be carried out late, too. */
    private void begin(CompletableFuture<String> era, boolean withParents) {
        String node = link.site().root() + "/%" + UUID.randomUUID(); // no directory of locks is called so
        over.forEach(this::remove);
        if (withParents) {
            link.createParents(link.site().ancestors(node), (path, code) -> {});
        }
        List<Op> creation = List.of(
                Op.create(node, NOTHING, link.site().aclOf(node), CreateMode.EPHEMERAL), stamp(node), demand(node));
        link.requests()
                .multi(
                        creation,
                        (code, path, context, results) -> {
                            if (code == Code.OK.intValue() && over.isEmpty()) {
                                era.complete(node);
                            } else if (code == Code.OK.intValue()) { // the connection was lost before
                                over.add(node);
                                begin(era, false);
                            } else if (Link.mayPass(code)) {
                                over.add(node);
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
                                over.remove(node);
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

    /** Fails without the node of the era. */
    static Op demand(String era) {
        return Op.check(era, -1);
    }

    /** As {@link #demand}; its result has the {@code zxid} of the transaction, as {@code mzxid}. */
    static Op stamp(String era) {
        return Op.setData(era, NOTHING, -1);
    }
}
