package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Ticket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * Puts a node with the same sequence number in the place of another, in one transaction.
 *
 * <p>When the reply is lost, the transaction is sent again. If the new node is there already, the first attempt has
 * succeeded: a node of that name never existed before, because a ticket only becomes milder.
 */
final class Replacement {

    private final ZooKeeperSession session;
    private final Link link;
    private final Ticket milder;
    private final String oldNode;
    private final String newNode;
    private final CompletableFuture<Ticket> result = new CompletableFuture<>();

    Replacement(ZooKeeperSession session, String queue, Ticket old, Ticket milder) {
        this.session = session;
        this.link = session.link();
        this.milder = milder;
        this.oldNode = queue + '/' + old.id();
        this.newNode = queue + '/' + milder.id();
    }

    CompletableFuture<Ticket> run() {
        if (!session.has(oldNode)) {
            result.completeExceptionally(gone());
        } else if (isSame()) {
            send(List.of(Op.check(oldNode, -1)));
        } else {
            byte[] data = session.dataOf(oldNode);
            session.took(newNode, data); // the old one is given only when it is gone: its Arrival may fire until then
            session.departures().expectDeparture(oldNode);
            send(List.of(
                    Op.create(newNode, data, link.site().aclOf(newNode), CreateMode.EPHEMERAL),
                    Op.delete(oldNode, -1)));
        }
        return result;
    }

    private boolean isSame() {
        return newNode.equals(oldNode);
    }

    private void send(List<Op> transaction) {
        link.requests().multi(transaction, (code, p, context, answers) -> answered(transaction, code), null);
    }

    private void answered(List<Op> transaction, int code) {
        if (code == Code.OK.intValue() || code == Code.NODEEXISTS.intValue()) {
            done();
        } else if (code == Code.NONODE.intValue()) {
            fail(gone());
        } else {
            LockStoreException failure = link.failure(code, "replace", oldNode);
            boolean again = Link.mayPass(code) && !link.ended() && link.later(() -> send(transaction));
            if (!again) {
                fail(failure);
            }
        }
    }

    private void done() {
        if (!isSame()) {
            session.gives(oldNode);
        }
        if (link.ended()) {
            fail(link.failure(Code.SESSIONEXPIRED.intValue(), "replace", oldNode));
        } else {
            result.complete(milder);
        }
    }

    private void fail(LockStoreException failure) {
        if (!isSame()) {
            if (link.ended()) {
                link.deleteSurely(newNode); // the ZooKeeper session, if it is shared, has not ended
            } else {
                session.gives(newNode);
            }
        }
        result.completeExceptionally(failure);
    }

    private LockStoreException gone() {
        return new LockStoreException(
                "ZooKeeper at " + link.site().address() + ": cannot replace " + oldNode + ": it is gone");
    }
}
