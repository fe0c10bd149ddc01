package io.wellkeeper.testservers;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A proxy in front of a server on this machine, which behaves as a bad network does: it cuts connections, at once or
 * right after a certain request has reached the server; swallows everything for a while, as a network that repeats what
 * was lost delivers it later; and delays. It can also answer in the place of the server. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BUFFER = 1 << 16;
    private static final int MAX_FRAME = 1 << 28;
    private static final Duration REPLY_WAIT = Duration.ofSeconds(5);

    /** What becomes of a request. */
    public enum Fate {
        /** It goes to the server, and the reply comes back. */
        FORWARD,
        /** The server receives it and answers, but the client sees only that its connection was cut. */
        LOSE_REPLY,
        /** The server never receives it; the connection is cut. */
        LOSE_REQUEST,
        /** The server never receives it; the client is {@linkplain Rule#answer answered by the rule}. */
        ANSWER
    }

    /** Decides about requests. Called on the proxy's threads, one call at a time for each connection. */
    @FunctionalInterface
    public interface Rule {

        /**
         * Decides about one request.
         *
         * @param request its bytes without the length in front, from position 0
         * @return what becomes of it
         */
        Fate decide(ByteBuffer request);

        /**
         * What a client gets whose request is to be {@linkplain Fate#ANSWER answered} here.
         *
         * @param request as for {@link #decide}
         * @return what the server would send, with the length in front if the protocol has one
         */
        default byte[] answer(ByteBuffer request) {
            throw new IllegalStateException("this rule has no answers");
        }
    }

    /** How the proxy knows where a request begins. */
    private enum Framing {
        /** It does not: what comes in at once is taken for one. */
        NONE,
        /** Its length is in front. */
        LENGTH,
        /** It is a value of Redis's protocol. */
        RESP
    }

    private final InetSocketAddress target;
    private final Framing framing;
    private final ServerSocket listening;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Set<Socket> halves = ConcurrentHashMap.newKeySet(); // kept open although the other half is cut
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean holdingRequests; // guarded by lock
    private boolean holdingReplies; // guarded by lock
    private volatile String torn = ""; // where requests are torn, if not empty
    private volatile boolean refusing;
    private volatile Duration delay = Duration.ZERO;
    private volatile Rule rule = request -> Fate.FORWARD;

    private TcpProxy(InetSocketAddress target, Framing framing) {
        this.target = target;
        this.framing = framing;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        start(this::accept, "proxy-accept");
    }

    /**
     * A proxy for any protocol. A {@linkplain #rule(Rule) rule} takes for a request what comes in at once, and for its reply
     * what comes next from the server, as it is with clients that wait for each reply.
     *
     * @param port of the server on this machine
     * @return listening on a free port
     */
    public static TcpProxy of(int port) {
        return new TcpProxy(here(port), Framing.NONE);
    }

    /**
     * As {@link #of(int)}, for a server on any machine.
     *
     * @param server where it is; if it is unresolved its name is looked up for each connection
     * @return listening on a free port
     */
    public static TcpProxy of(InetSocketAddress server) {
        return new TcpProxy(server, Framing.NONE);
    }

    private static InetSocketAddress here(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /**
     * A proxy for a protocol such as ZooKeeper's: every request and reply begins with its length in four bytes, big-endian,
     * and a reply repeats the first four bytes of its request.
     *
     * @param port of the server on this machine
     * @return listening on a free port
     */
    public static TcpProxy framed(int port) {
        return framed(here(port));
    }

    /** As {@link #framed(int)}, for a server on any machine, as in {@link #of(InetSocketAddress)}. */
    public static TcpProxy framed(InetSocketAddress server) {
        return new TcpProxy(server, Framing.LENGTH);
    }

    /**
     * A proxy for RESP3, the protocol of Redis: every command has one answer, in their order, and messages come between.
     *
     * @param port of the server on this machine
     * @return listening on a free port
     */
    public static TcpProxy resp(int port) {
        return resp(here(port));
    }

    /** As {@link #resp(int)}, for a server on any machine, as in {@link #of(InetSocketAddress)}. */
    public static TcpProxy resp(InetSocketAddress server) {
        return new TcpProxy(server, Framing.RESP);
    }

    /** Where it listens: {@code 127.0.0.1:port}. */
    public String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** Where it listens. */
    public int port() {
        return listening.getLocalPort();
    }

    /** How many connections go through it. */
    public int connections() {
        return links.size();
    }

    /** Lets a rule decide about every request from now on. */
    public void rule(Rule rule) {
        this.rule = rule;
    }

    /** Cuts every connection there is. New ones are accepted. */
    public void cut() {
        links.forEach(Link::close);
    }

    /** Cuts every connection as only the clients see it: the server sees nothing, for as long as this proxy is open. */
    public void cutClients() {
        links.forEach(link -> link.cutHalf(link.client, link.server));
    }

    /** Cuts every connection as only the server sees it: the clients see nothing, for as long as this proxy is open. */
    public void cutServer() {
        links.forEach(link -> link.cutHalf(link.server, link.client));
    }

    /** Whether new connections are refused, by closing them at once. */
    public void refuse(boolean refuse) {
        refusing = refuse;
    }

    /** Whether nothing passes, in either direction. What is held back is delivered, in order, when it ends. */
    public void swallow(boolean swallow) {
        hold(swallow, swallow);
    }

    /** Whether replies do not pass, though requests do. What is held back is delivered, in order, when it ends. */
    public void swallowReplies(boolean swallow) {
        hold(false, swallow);
    }

    /** Whether requests do not pass, though replies do. What is held back is delivered, in order, when it ends. */
    public void swallowRequests(boolean swallow) {
        hold(swallow, false);
    }

    /**
     * Lets only the beginning of a request pass, and then nothing in either direction, until swallowing ends.
     *
     * @param from what the part begins with that does not pass, in ISO 8859-1
     */
    public void swallowFrom(String from) {
        torn = from;
    }

    /** Whether nothing passes, in at least one direction. */
    public boolean isSwallowing() {
        lock.lock();
        try {
            return holdingRequests || holdingReplies;
        } finally {
            lock.unlock();
        }
    }

    private void hold(boolean requests, boolean replies) {
        lock.lock();
        try {
            holdingRequests = requests;
            holdingReplies = replies;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * How long every piece of data takes, in each direction. Pieces of a protocol without frames do not wait for each
     * other: as many as were sent are on the way at once, as on a long wire.
     */
    public void delay(Duration delay) {
        this.delay = delay;
    }

    /** Cuts every connection and listens no more. */
    @Override
    public void close() {
        closeQuietly(listening);
        cut();
        halves.forEach(TcpProxy::closeQuietly);
        swallow(false);
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                if (refusing) {
                    client.close();
                    continue;
                }
                Socket server = new Socket();
                try {
                    server.connect(
                            target.isUnresolved()
                                    ? new InetSocketAddress(target.getHostString(), target.getPort())
                                    : target,
                            5_000);
                } catch (IOException unreachable) {
                    client.close();
                    continue;
                }
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Link link = new Link(client, server);
                links.add(link);
                start(link::requests, "proxy-requests");
                start(link::replies, "proxy-replies");
            } catch (IOException closed) {
                // the loop looks whether it was the listening socket
            }
        }
    }

    /** Waits until what has come in at that time is through, and for the end of swallowing. */
    private void pass(boolean request, long since) throws IOException {
        long until = since + delay.toNanos();
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left); // more exact than to sleep
        }
        try {
            lock.lock();
            try {
                while (request ? holdingRequests : holdingReplies) {
                    opened.await();
                }
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException interrupted) {
            throw new IOException(interrupted);
        }
    }

    private static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException ignored) {
            // it is gone either way
        }
    }

    /**
     * Something on the way.
     *
     * @param bytes none if it is the end
     * @param since when it came in
     */
    private record Piece(byte[] bytes, long since) {}

    /** One client's connection and the one that continues it. */
    private final class Link {

        private final Socket client;
        private final Socket server;
        private final ReentrantLock toClient = new ReentrantLock(); // held by who writes to the client
        private int unanswered; // guarded by lock: requests that the server has not answered
        private volatile boolean deaf; // replies are no longer passed on
        private volatile int awaited; // while deaf: what the awaited reply begins with

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void requests() {
            try {
                if (framing == Framing.NONE) {
                    copy(client, server);
                } else {
                    frames();
                }
            } catch (IOException ended) {
                // closed below
            }
            close();
        }

        void replies() {
            try {
                if (framing == Framing.NONE) {
                    copy(server, client);
                } else {
                    replyFrames();
                }
            } catch (IOException ended) {
                // closed below
            }
            close();
        }

        private void frames() throws IOException {
            DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
            while (true) {
                ByteBuffer frame = read(in);
                if (!forward(
                        frame, frame.slice(content(), frame.limit() - content()).asReadOnlyBuffer())) {
                    return;
                }
            }
        }

        /** Where the content of a frame begins. */
        private int content() {
            return framing == Framing.LENGTH ? Integer.BYTES : 0;
        }

        /**
         * Has a rule decide what becomes of a request.
         *
         * @return false if this connection is cut
         */
        private boolean forward(ByteBuffer frame, ByteBuffer request) throws IOException {
            Rule decider = rule;
            Fate fate = decider.decide(request.duplicate());
            if (fate == Fate.LOSE_REQUEST) {
                return false;
            }
            if (framing != Framing.NONE) { // else it has waited already
                pass(true, System.nanoTime());
            }
            if (fate == Fate.ANSWER) {
                await(() -> unanswered == 0);
                toClient(decider.answer(request));
                return true;
            }
            if (fate == Fate.LOSE_REPLY) {
                if (framing == Framing.LENGTH) {
                    awaited = frame.getInt(content());
                } else {
                    await(() -> unanswered == 0);
                }
                deaf = true;
            }
            count(frame, 1);
            server.getOutputStream().write(frame.array(), 0, frame.limit());
            if (fate == Fate.LOSE_REPLY) {
                closeQuietly(client);
                await(() -> !deaf); // closing too early could keep the server from reading the request
                return false;
            }
            return true;
        }

        private void replyFrames() throws IOException {
            DataInputStream in = new DataInputStream(new BufferedInputStream(server.getInputStream()));
            while (true) {
                ByteBuffer frame = read(in);
                pass(false, System.nanoTime());
                if (deaf) {
                    boolean theOne = framing == Framing.RESP
                            ? answers(frame)
                            : frame.limit() >= 2 * Integer.BYTES && frame.getInt(content()) == awaited;
                    if (theOne) {
                        replied();
                    }
                } else {
                    toClient(frame.array());
                    count(frame, -1);
                }
            }
        }

        private void toClient(byte[] bytes) throws IOException {
            toClient.lock();
            try {
                client.getOutputStream().write(bytes);
            } finally {
                toClient.unlock();
            }
        }

        /** One more request that is answered, or one less; if this is one, or its answer. */
        private void count(ByteBuffer frame, int more) {
            if (framing == Framing.NONE || !answers(frame)) {
                return;
            }
            lock.lock();
            try {
                unanswered = Math.max(0, unanswered + more);
                opened.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Whether it is a request that is answered in its turn, or such an answer. */
        private boolean answers(ByteBuffer frame) {
            return framing == Framing.RESP
                    ? !Resp.isMessage(frame.array())
                    : frame.limit() >= 2 * Integer.BYTES && frame.getInt(content()) > 0;
        }

        private ByteBuffer read(DataInputStream in) throws IOException {
            if (framing == Framing.RESP) {
                return ByteBuffer.wrap(Resp.value(in));
            }
            int length = in.readInt();
            if (length < 0 || length > MAX_FRAME) {
                throw new IOException("a frame of " + length + " bytes");
            }
            byte[] frame = new byte[Integer.BYTES + length];
            in.readFully(frame, Integer.BYTES, length);
            return ByteBuffer.wrap(frame).putInt(0, length);
        }

        private void copy(Socket from, Socket to) throws IOException {
            BlockingQueue<Piece> way = new LinkedBlockingQueue<>();
            start(() -> receive(from, way), "proxy-receive");
            for (Piece piece = next(way); piece.bytes().length > 0; piece = next(way)) {
                pass(from == client, piece.since());
                if (from == server && deaf) {
                    replied();
                } else if (from == server) {
                    toClient(piece.bytes());
                } else if (!request(piece)) {
                    return;
                }
            }
        }

        private boolean request(Piece piece) throws IOException {
            int end = beginning(piece.bytes());
            if (end == piece.bytes().length) {
                ByteBuffer whole = ByteBuffer.wrap(piece.bytes());
                return forward(whole, whole.asReadOnlyBuffer());
            }
            server.getOutputStream().write(piece.bytes(), 0, end);
            swallow(true);
            pass(true, piece.since());
            server.getOutputStream().write(piece.bytes(), end, piece.bytes().length - end);
            return true;
        }

        /** How much of it is not torn off. */
        private int beginning(byte[] request) {
            String from = torn;
            int at = from.isEmpty() ? -1 : new String(request, StandardCharsets.ISO_8859_1).indexOf(from);
            if (at < 0) {
                return request.length;
            }
            torn = "";
            return at;
        }

        private void receive(Socket from, BlockingQueue<Piece> way) {
            try {
                InputStream in = from.getInputStream();
                byte[] buffer = new byte[BUFFER];
                for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                    way.add(new Piece(Arrays.copyOf(buffer, count), System.nanoTime()));
                }
            } catch (IOException cut) {
                // as if the sender had ended
            }
            way.add(new Piece(new byte[0], System.nanoTime()));
        }

        private Piece next(BlockingQueue<Piece> way) throws IOException {
            try {
                return way.take();
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
        }

        /** Waits, for seconds at most, for something that is guarded by the lock. */
        private void await(BooleanSupplier condition) throws IOException {
            lock.lock();
            try {
                long left = REPLY_WAIT.toNanos();
                while (!condition.getAsBoolean() && left > 0) {
                    left = opened.awaitNanos(left);
                }
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            } finally {
                lock.unlock();
            }
        }

        private void replied() {
            lock.lock();
            try {
                deaf = false;
                opened.signalAll();
            } finally {
                lock.unlock();
            }
        }

        void cutHalf(Socket cut, Socket kept) {
            halves.add(kept);
            links.remove(this);
            closeQuietly(cut);
        }

        void close() {
            links.remove(this);
            for (Socket half : List.of(client, server)) {
                if (!halves.contains(half)) {
                    closeQuietly(half);
                }
            }
        }
    }
}
