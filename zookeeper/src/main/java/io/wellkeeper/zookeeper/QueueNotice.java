package io.wellkeeper.zookeeper;

import io.wellkeeper.spi.Notice;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;

/**
 * The notice of a queue is the data of its container node. So it lives as long as that: the reaper takes a container only
 * after it had children, and has none. Its version is that of the node's data.
 */
final class QueueNotice {

    /** The version of a notice whose node does not exist. */
    private static final long ABSENT = -1;

    private final ZooKeeperSession session;
    private final Link link;
    private final ZooKeeper zooKeeper;
    private final String path;

    QueueNotice(ZooKeeperSession session, String path) {
        this.session = session;
        this.link = session.link();
        this.zooKeeper = link.zooKeeper();
        this.path = path;
    }

    CompletableFuture<Notice> read() {
        CompletableFuture<Notice> result = new CompletableFuture<>();
        zooKeeper.getData(
                path,
                false,
                (code, p, context, data, stat) -> {
                    if (code == Code.OK.intValue()) {
                        String text = data == null ? "" : new String(data, StandardCharsets.UTF_8);
                        result.complete(new Notice(text, stat.getVersion()));
                    } else if (code == Code.NONODE.intValue()) {
                        result.complete(new Notice("", ABSENT));
                    } else {
                        result.completeExceptionally(link.failure(code, "read", path));
                    }
                },
                null);
        return result;
    }

    CompletableFuture<Boolean> post(Notice seen, String text) {
        byte[] data = text.getBytes(StandardCharsets.UTF_8);
        if (seen.version() == ABSENT) {
            return text.isEmpty() ? CompletableFuture.completedFuture(true) : create(data, false);
        }
        int version = Math.toIntExact(seen.version());
        if (!text.isEmpty()) {
            return set(data, version);
        }
        CompletableFuture<Boolean> gone = delete(version);
        return set(data, version).thenCombine(gone, (emptied, deleted) -> emptied || deleted);
    }

    private CompletableFuture<Boolean> create(byte[] data, boolean withAncestors) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        if (withAncestors) {
            for (Site.Node parent : link.site().ancestors(path)) {
                zooKeeper.create(
                        parent.path(),
                        new byte[0],
                        link.site().aclOf(parent.path()),
                        parent.mode(),
                        (code, p, context, name) -> {},
                        null);
            }
        }
        zooKeeper.create(
                path,
                data,
                link.site().aclOf(path),
                CreateMode.CONTAINER,
                (code, p, context, name) -> {
                    if (code == Code.NONODE.intValue() && !withAncestors) {
                        create(data, true).whenComplete((created, failure) -> pass(created, failure, result));
                    } else {
                        answer(code, Code.NODEEXISTS, "create", result);
                    }
                },
                null);
        return result;
    }

    private static void pass(Boolean value, Throwable failure, CompletableFuture<Boolean> result) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(failure);
        }
    }

    private CompletableFuture<Boolean> set(byte[] data, int version) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        zooKeeper.setData(
                path, data, version, (code, p, context, stat) -> answer(code, Code.BADVERSION, "write", result), null);
        return result;
    }

    /** A name without tickets keeps nothing; one with tickets keeps its node. */
    private CompletableFuture<Boolean> delete(int version) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        zooKeeper.delete(
                path,
                version,
                (code, p, context) -> {
                    if (code == Code.OK.intValue()) {
                        session.missed(path);
                    }
                    result.complete(code == Code.OK.intValue());
                },
                null);
        return result;
    }

    private void answer(int code, Code tooLate, String doing, CompletableFuture<Boolean> result) {
        if (code == Code.OK.intValue()) {
            result.complete(true);
        } else if (code == tooLate.intValue() || code == Code.NONODE.intValue()) {
            result.complete(false);
        } else {
            result.completeExceptionally(link.failure(code, doing, path));
        }
    }
}
