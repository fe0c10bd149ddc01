package io.wellkeeper.zookeeper;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.Session;
import io.wellkeeper.spi.SessionListener;
import io.wellkeeper.spi.SessionOptions;
import io.wellkeeper.spi.StoreUri;
import io.wellkeeper.spi.TicketStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooKeeper;

/**
 * Keeps the queues of locks in ZooKeeper 3.5.3 or later. A lock is a node, its tickets are sequential ephemeral children,
 * and a session of a client is a ZooKeeper session, or shares one.
 *
 * <p><b>Guarantees.</b> Tickets are numbered by the leader and committed by a majority before anybody holds a lock, so
 * they survive every failure that the ensemble survives. The fencing token is the {@code zxid} at which the ticket's node
 * was created, or a later one at which no other had been created behind it: the tokens of a lock grow for as long as the
 * ensemble keeps its data; an ensemble that is set up anew, or from a backup,
 * may begin lower.
 *
 * <p><b>Time.</b> With the negotiated session timeout <i>T</i>, a heartbeat goes out every <i>T</i>/8, and an
 * acknowledged one is good for <i>T</i>/2: nobody else is granted the lock before. The rest of <i>T</i> goes to what
 * the leader may not have been told yet, namely that a session has been heard of, which followers report twice in a tick;
 * <i>T</i> is never less than two ticks unless {@code minSessionTimeout} is set so, which breaks this reckoning. A
 * heartbeat of a session that has a ticket, or takes one, is a transaction that changes nothing, which only a majority of
 * the servers can carry out: a leader that has lost its followers and has not noticed confirms nothing. Without a ticket it
 * is a {@code sync}, which costs no write to a disk. A connection that was handed in is taken to have been
 * sound until the session was opened.
 *
 * <p><b>Cost.</b> A free lock takes three requests in one awaited round trip: create, list, delete. A name that was not
 * used lately costs one more, in the same round trip; one whose directories are missing, a second round trip. Meanwhile
 * other takes of this name by this client wait for the first one. The removal of a ticket that had none ahead of it is
 * put off for 0.05 ms as a rule, and for 2 ms at most. If the client takes another ticket, of any lock, within that
 * time, both are one transaction, which saves a request and, on every server, one forced write to the disk. Lock nodes
 * and directories are containers, which ZooKeeper removes by itself some time after they have become empty.
 *
 * <p>Replacing and describing a ticket and reading a notice take one round trip each. Posting a notice takes two, the
 * first one of a name only one, and the first one of a session, or after a lost answer, one more. A notice that was just posted by way of one server may be read a moment later by way of
 * another; whoever watches it is told then.
 *
 * <p><b>Failure.</b> A ticket whose creation was not acknowledged, because the connection broke, is looked for once the
 * same session is connected again, behind a transaction that changes nothing. A ticket whose session has ended is gone.
 *
 * <p>As a URI: {@code zookeeper://user:password@host1:2181,host2:2181/chroot?root=/wellkeeper}. With user and password
 * (digest) only that user may touch the nodes; without, everybody may. The chroot is created if it is missing.
 * {@code client.config} names a properties file of ZooKeeper's client, for TLS and SASL.
 */
@SuppressWarnings("exports") // the types of Curator and ZooKeeper are in no module
public final class ZooKeeperTicketStore implements TicketStore {

    private static final String KIND = "locks";

    private final Site site;
    private final Function<Duration, Connection> connector;
    private final Set<ZooKeeperSession> sessions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private ZooKeeperTicketStore(Site site, Function<Duration, Connection> connector) {
        this.site = site;
        this.connector = connector;
    }

    /**
     * A store with connections of its own, one for each session. Nothing is sent yet.
     *
     * @param uri where the servers are
     * @return the store, owned by the caller
     * @throws IllegalArgumentException if the URI is wrong, saying which part and why
     */
    public static ZooKeeperTicketStore of(StoreUri uri) {
        ZooKeeperUri parsed = ZooKeeperUri.of(uri);
        return new ZooKeeperTicketStore(
                Site.of(parsed.address(), parsed.chroot(), parsed.options(), KIND),
                timeout -> new OwnConnection(parsed, timeout));
    }

    /**
     * As {@link #over(CuratorFramework, ZooKeeperStoreOptions)} with the default options.
     *
     * @param curator the client
     * @return the store
     */
    public static ZooKeeperTicketStore over(CuratorFramework curator) {
        return over(curator, ZooKeeperStoreOptions.defaults());
    }

    /**
     * A store over a Curator client, which stays the caller's: it must be started, and is never closed here. The
     * session timeout is the client's own, and so is the namespace. The access rights are those of the options, because
     * Curator does not tell its own. A client whose {@code jute.maxbuffer} is not raised loses its connection over a
     * queue of more than some 15 000 tickets; connections of the store's own hold a quarter of a million.
     *
     * @param curator the client
     * @param options root and access rights
     * @return the store
     */
    public static ZooKeeperTicketStore over(CuratorFramework curator, ZooKeeperStoreOptions options) {
        Connection given = Connections.of(curator);
        return new ZooKeeperTicketStore(Site.of(curator, options, KIND), timeout -> given);
    }

    /**
     * As {@link #over(ZooKeeper, ZooKeeperStoreOptions)} with the default options.
     *
     * @param zooKeeper the handle
     * @return the store
     */
    public static ZooKeeperTicketStore over(ZooKeeper zooKeeper) {
        return over(zooKeeper, ZooKeeperStoreOptions.defaults());
    }

    /**
     * A store over a plain ZooKeeper handle, which stays the caller's. When its session expires, the store refuses all
     * further use. A handle tells only those of its state who have a watch; so each session has one, on a node that never
     * exists.
     *
     * @param zooKeeper the handle
     * @param options root and access rights
     * @return the store
     */
    public static ZooKeeperTicketStore over(ZooKeeper zooKeeper, ZooKeeperStoreOptions options) {
        return new ZooKeeperTicketStore(
                Site.of("a given handle", "", options, KIND), timeout -> Connections.of(zooKeeper));
    }

    @Override
    public CompletionStage<Session> open(SessionOptions options, SessionListener listener) {
        if (closed) {
            return CompletableFuture.failedFuture(new LockStoreException("the store at " + address() + " was closed"));
        }
        Connection connection = connector.apply(options.timeout());
        return Stages.plain(Link.open(site, connection, options.timeout(), listener)
                .thenApply(link -> {
                    ZooKeeperSession session = new ZooKeeperSession(
                            link, connection.owned(), connection.owned() ? options.timeout() : link.timeout());
                    for (ZooKeeperSession old : sessions) {
                        if (old.link().ended() && sessions.remove(old)) {
                            session.follow(old);
                        }
                    }
                    sessions.add(session);
                    if (closed) {
                        session.close();
                    }
                    return session;
                }));
    }

    /** The sessions that were opened and have not been followed by another. */
    Set<ZooKeeperSession> sessions() {
        return sessions;
    }

    @Override
    public String address() {
        return site.address();
    }

    @Override
    public String toString() {
        return "ZooKeeperTicketStore[" + address() + "]";
    }

    /** Ends all sessions, and their ZooKeeper sessions if they are not a given connection's; does not wait for it. */
    @Override
    public void close() {
        closed = true;
        sessions.forEach(ZooKeeperSession::close);
        sessions.clear();
    }
}
