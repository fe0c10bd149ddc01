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
 * A proxy in front of a server on this machine, which behaves like a bad network. It can cut connections, at once or
 * right after a certain request has reached the server. It can swallow everything for a while and deliver it later,
 * like a network that repeats lost packets. It can delay data, and it can answer requests instead of the server.
 * Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private static final int BUFFER = 1 << 16;
    private static final int MAX_FRAME = 1 << 28;
    private static final Duration REPLY_WAIT = Duration.ofSeconds(5);

    /** What the proxy does with a request. */
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
         * @return what the proxy does with it
         */
        Fate decide(ByteBuffer request);

        /**
         * The answer to a request that the rule {@linkplain Fate#ANSWER answers} itself.
         *
         * @param request as for {@link #decide}
         * @return the bytes that the server would send, with the length in front if the protocol has one
         */
        default byte[] answer(ByteBuffer request) {
            throw new IllegalStateException("this rule has no answers");
        }
    }

    /** How the proxy tells requests apart. */
    private enum Framing {
        /** It cannot: data that comes in at once is taken for one request. */
        NONE,
        /** Each request begins with its length. */
        LENGTH,
        /** Each request is a value of the Redis protocol. */
        RESP
    }

    private final InetSocketAddress target;
    private final Framing framing;
    private final ServerSocket listening;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final Set<Socket> halves = ConcurrentHashMap.newKeySet(); // still open, though the other half was cut
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean holdingRequests; // guarded by lock
    private boolean holdingReplies; // guarded by lock
    private volatile String torn = ""; // the text before which a request is torn, if not empty
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
     * A proxy for any protocol. For a {@linkplain #rule(Rule) rule}, data that comes in at once is a request, and the
     * next data from the server is its reply. That is right for clients that wait for each reply.
     *
     * @param port of the server on this machine
     * @return a proxy that listens on a free port
     */
    public static TcpProxy of(int port) {
        return new TcpProxy(here(port), Framing.NONE);
    }

    /**
     * As {@link #of(int)}, for a server on any machine.
     *
     * @param server its address; if the address is unresolved, its name is looked up for each connection
     * @return a proxy that listens on a free port
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
     * @return a proxy that listens on a free port
     */
    public static TcpProxy framed(int port) {
        return framed(here(port));
    }

    /** As {@link #framed(int)}, for a server on any machine, as in {@link #of(InetSocketAddress)}. */
    public static TcpProxy framed(InetSocketAddress server) {
        return new TcpProxy(server, Framing.LENGTH);
    }

    /**
     * A proxy for RESP3, the protocol of Redis: each command has one answer, in the order of the commands, and messages
     * may come between the answers.
     *
     * @param port of the server on this machine
     * @return a proxy that listens on a free port
     */
    public static TcpProxy resp(int port) {
        return resp(here(port));
    }

    /** As {@link #resp(int)}, for a server on any machine, as in {@link #of(InetSocketAddress)}. */
    public static TcpProxy resp(InetSocketAddress server) {
        return new TcpProxy(server, Framing.RESP);
    }

    /** The address on which the proxy listens: {@code 127.0.0.1:port}. */
    public String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** The port on which the proxy listens. */
    public int port() {
        return listening.getLocalPort();
    }

    /** How many connections go through the proxy. */
    public int connections() {
        return links.size();
    }

    /** From now on a rule decides about each request. */
    public void rule(Rule rule) {
        this.rule = rule;
    }

    /** Cuts all connections. New ones are accepted. */
    public void cut() {
        links.forEach(Link::close);
    }

    /** Cuts the client's half of each connection. The server does not notice that as long as this proxy is open. */
    public void cutClients() {
        links.forEach(link -> link.cutHalf(link.client, link.server));
    }

    /** Cuts the server's half of each connection. The clients do not notice that as long as this proxy is open. */
    public void cutServer() {
        links.forEach(link -> link.cutHalf(link.server, link.client));
    }

    /** Sets whether new connections are refused, by closing them at once. */
    public void refuse(boolean refuse) {
        refusing = refuse;
    }

    /** Sets whether nothing passes in either direction. Data that was held back is delivered, in order, afterwards. */
    public void swallow(boolean swallow) {
        hold(swallow, swallow);
    }

    /** Sets whether only requests pass. Replies that were held back are delivered, in order, afterwards. */
    public void swallowReplies(boolean swallow) {
        hold(false, swallow);
    }

    /** Sets whether only replies pass. Requests that were held back are delivered, in order, afterwards. */
    public void swallowRequests(boolean swallow) {
        hold(swallow, false);
    }

    /**
     * Lets only the beginning of the next request with a certain text pass, and then nothing in either direction, until
     * {@code swallow(false)}.
     *
     * @param from the text, in ISO 8859-1; the part of the request from this text on is held back
     */
    public void swallowFrom(String from) {
        torn = from;
    }

    /** Whether nothing passes in at least one direction. */
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
     * Sets how long each piece of data travels, in each direction. If the proxy cannot tell requests apart, the pieces
     * do not wait for each other: all that were sent are on their way at the same time, as on a long wire.
     */
    public void delay(Duration delay) {
        this.delay = delay;
    }

    /** Cuts all connections and listens no more. */
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
                // the loop checks whether the listening socket was closed
            }
        }
    }

    /**
     * Waits until data that came in at that time has travelled long enough, and until its direction is not swallowed.
     */
    private void pass(boolean request, long since) throws IOException {
        long until = since + delay.toNanos();
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left); // more exact than sleeping
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
            // the socket is of no use any more in either case
        }
    }

    /**
     * A piece of data on its way.
     *
     * @param bytes the data; empty if the sender has ended the connection
     * @param since when the data came in
     */
    private record Piece(byte[] bytes, long since) {}

    /** The connection of one client, and the connection to the server that continues it. */
    private final class Link {

        private final Socket client;
        private final Socket server;
        private final ReentrantLock toClient = new ReentrantLock(); // held while writing to the client
        private int unanswered; // guarded by lock: requests that the server has not answered
        private volatile boolean deaf; // replies are not passed on any more
        private volatile int awaited; // while deaf: the number with which the awaited reply begins

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
         * Asks the rule about a request, and does what the rule says.
         *
         * @return false if this connection is cut
         */
        private boolean forward(ByteBuffer frame, ByteBuffer request) throws IOException {
            Rule decider = rule;
            Fate fate = decider.decide(request.duplicate());
            if (fate == Fate.LOSE_REQUEST) {
                return false;
            }
            if (framing != Framing.NONE) { // else the request has waited already
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

        /** Counts a request that the server answers in turn, or its answer; other frames do not count. */
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

        /** Whether a frame is a request that is answered in turn, or such an answer. */
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

        /** How many bytes of a request pass before it is torn. */
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
                // treated like the end of the data
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

        /** Waits, for seconds at most, for a condition that is guarded by the lock. */
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
