package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Notice;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The notice of a queue is the data of its container node. So it lives as long as the node: the reaper deletes a
 * container only if it had children once, and has none now.
 *
 * <pre>
 *   post:  no node was seen -> create                           with all parents, if they are missing
 *          else             -> sync, look at the node           pipelined
 *     it is not as it was seen       -> false
 *     text                           -> write
 *     no text, never had tickets     -> delete                  the reaper would not
 *     no text                        -> write nothing           the reaper does the rest
 * </pre>
 *
 * <p>The version of a notice is the {@code mzxid} of the node: no two changes have the same, even if the node was
 * deleted and created anew. ZooKeeper's condition for a write is another number, the count of the changes of this very
 * node. So a change goes unnoticed only if the node is deleted, created, and changed as often as the old one, all of it
 * between the look and the write after it.
 *
 * <p>If there is no node, the version is the negated {@code pzxid} of the nearest existing ancestor: it changes when a
 * child of the ancestor is created or deleted. So a client that does not know whether its notice was posted, and finds
 * none, sees whether the notice may have been deleted since. A write with such a version demands only that there is no
 * node.
 */
final class QueueNotice {

    private static final int ATTEMPTS = 10;

    private final ZooKeeperSession session;
    private final Link link;
    private final String path;
    private int attempts;
    private @Nullable LockStoreException parentsTrouble;

    QueueNotice(ZooKeeperSession session, String path) {
        this.session = session;
        this.link = session.link();
        this.path = path;
    }

    CompletableFuture<Notice> read() {
        CompletableFuture<Notice> result = new CompletableFuture<>();
        link.requests()
                .getData(
                        path,
                        false,
                        (code, p, context, data, stat) -> {
                            if (code == Code.OK.intValue()) {
                                String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
                                result.complete(new Notice(text, stat.getMzxid()));
                            } else if (code == Code.NONODE.intValue()) {
                                readAbsence(path, result);
                            } else {
                                result.completeExceptionally(link.failure(code, "read", path));
                            }
                        },
                        null);
        return result;
    }

    /** Reads the ancestor after the node was found missing: so a change after this answer shows in the next one. */
    private void readAbsence(String missing, CompletableFuture<Notice> result) {
        int slash = missing.lastIndexOf('/');
        String parent = slash > 0 ? missing.substring(0, slash) : "/";
        link.requests()
                .exists(
                        parent,
                        false,
                        (int code, String p, Object context, @Nullable Stat stat) -> {
                            if (code == Code.OK.intValue() && stat != null) {
                                result.complete(new Notice("", -stat.getPzxid()));
                            } else if (code != Code.NONODE.intValue()) {
                                result.completeExceptionally(link.failure(code, "look at", parent));
                            } else if (slash > 0) {
                                readAbsence(parent, result);
                            } else { // not even the chroot
                                result.complete(new Notice("", 0));
                            }
                        },
                        null);
    }

    private static boolean isAbsence(Notice seen) {
        return seen.version() <= 0;
    }

    CompletableFuture<Boolean> post(Notice seen, String text) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        post(seen, text.getBytes(StandardCharsets.UTF_8), result);
        return result;
    }

    private void post(Notice seen, byte[] data, CompletableFuture<Boolean> result) {
        link.eras()
                .current()
                .thenAccept(era -> {
                    if (isAbsence(seen) && data.length > 0) {
                        create(era, seen, data, result);
                    } else {
                        look(era, seen, data, result);
                    }
                })
                .exceptionally(failure -> {
                    result.completeExceptionally(Stages.plain(failure));
                    return null;
                });
    }

    private void create(String era, Notice seen, byte[] data, CompletableFuture<Boolean> result) {
        Op creation = Op.create(path, data, link.site().aclOf(path), CreateMode.CONTAINER);
        change(era, creation, () -> post(seen, data, result), code -> {
            if (code == Code.OK.intValue()) {
                session.seen(path);
                result.complete(true);
            } else if (code == Code.NODEEXISTS.intValue()) {
                result.complete(false);
            } else if (code == Code.NONODE.intValue() && ++attempts < ATTEMPTS) {
                link.createParents(link.site().ancestors(path), this::parentAnswered);
                create(era, seen, data, result);
            } else if (code == Code.NONODE.intValue() && parentsTrouble != null) {
                result.completeExceptionally(parentsTrouble);
            } else {
                result.completeExceptionally(link.failure(code, "create", path));
            }
        });
    }

    /**
     * Sends a change that cannot be carried out late.
     *
     * @param again run if the change was not carried out because the era was over
     */
    private void change(String era, Op change, Runnable again, IntConsumer answered) {
        link.requests()
                .multi(
                        Eras.within(era, change),
                        (code, p, context, results) -> {
                            if (link.eras().wasOver(era, code, results)) {
                                again.run();
                            } else {
                                answered.accept(code);
                            }
                        },
                        null);
    }

    private void parentAnswered(String parent, int code) {
        link.refusalOfParent(code, parent).ifPresent(refusal -> parentsTrouble = refusal);
    }

    private void look(String era, Notice seen, byte[] data, CompletableFuture<Boolean> result) {
        Runnable again = () -> post(seen, data, result);
        link.requests().sync(path, (code, p, context) -> {}, null);
        link.requests()
                .exists(
                        path,
                        false,
                        (int code, String p, Object context, @Nullable Stat stat) -> {
                            if (code == Code.NONODE.intValue()) {
                                result.complete(isAbsence(seen));
                            } else if (code != Code.OK.intValue() || stat == null) {
                                result.completeExceptionally(link.failure(code, "look at", path));
                            } else if (stat.getMzxid() != seen.version()) {
                                result.complete(false);
                            } else if (data.length == 0 && stat.getCversion() == 0) {
                                change(era, Op.delete(path, stat.getVersion()), again, c -> deleted(c, again, result));
                            } else {
                                Op write = Op.setData(path, data, stat.getVersion());
                                change(era, write, again, c -> changed(c, "write", result));
                            }
                        },
                        null);
    }

    private void deleted(int code, Runnable again, CompletableFuture<Boolean> result) {
        if (code == Code.NOTEMPTY.intValue()) { // the first ticket came meanwhile
            again.run();
        } else {
            session.missed(path);
            changed(code, "delete", result);
        }
    }

    private void changed(int code, String doing, CompletableFuture<Boolean> result) {
        if (code == Code.OK.intValue()) {
            result.complete(true);
        } else if (code == Code.BADVERSION.intValue() || code == Code.NONODE.intValue()) {
            result.complete(false);
        } else {
            result.completeExceptionally(link.failure(code, doing, path));
        }
    }
}
