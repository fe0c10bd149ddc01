package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Ticket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * Puts a node with the same sequence number in the place of another, in one transaction. If the reply is lost it is done
 * again: when the new node is there already, the first time has succeeded.
 */
final class Replacement {

    private final ZooKeeperSession session;
    private final Link link;
    private final ZooKeeper zooKeeper;
    private final String queue;
    private final Ticket old;
    private final Ticket milder;
    private final CompletableFuture<Ticket> result = new CompletableFuture<>();

    Replacement(ZooKeeperSession session, String queue, Ticket old, Ticket milder) {
        this.session = session;
        this.link = session.link();
        this.zooKeeper = link.zooKeeper();
        this.queue = queue;
        this.old = old;
        this.milder = milder;
    }

    CompletableFuture<Ticket> run() {
        byte[] data = session.dataOf(path(old));
        session.took(path(milder), data);
        session.gives(path(old));
        send(data);
        return result;
    }

    private void send(byte[] data) {
        zooKeeper.multi(
                List.of(
                        Op.create(path(milder), data, link.site().aclOf(path(milder)), CreateMode.EPHEMERAL),
                        Op.delete(path(old), -1)),
                (code, p, context, answers) -> {
                    if (code == Code.OK.intValue() || isDone(answers)) {
                        result.complete(milder);
                    } else if (Link.unknown(code)) {
                        link.failure(code, "replace", path(old));
                        if (!link.later(() -> send(data))) {
                            fail(link.failure(Code.SESSIONEXPIRED.intValue(), "replace", path(old)));
                        }
                    } else {
                        fail(link.failure(code, "replace", path(old)));
                    }
                },
                null);
    }

    private static boolean isDone(@Nullable List<OpResult> answers) {
        return answers != null
                && !answers.isEmpty()
                && answers.get(0) instanceof OpResult.ErrorResult first
                && first.getErr() == Code.NODEEXISTS.intValue();
    }

    private void fail(LockStoreException failure) {
        session.gives(path(milder));
        result.completeExceptionally(failure);
    }

    private String path(Ticket ticket) {
        return queue + '/' + ticket.id();
    }
}
