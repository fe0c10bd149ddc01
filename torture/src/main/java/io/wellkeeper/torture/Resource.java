package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The resource that the locks protect. It refuses each write whose token is smaller than the largest that it has seen
 * for that lock, and adds what it did to the history. For each write a worker sends a line, {@code process op lock
 * token}, and gets the answer {@code stay requests latch}: for how many milliseconds it must stay inside if it still
 * holds the lock, whether the write was accepted or not; how many other locks it must ask for at once; and which latch
 * it must count down meanwhile, 0 for none. A worker also says, in lines without an answer, when it begins to wait for
 * a lock, {@code wait process lock}, and when the wait is over, {@code end}. A connection is for one thread, which
 * waits for one lock at a time. Thread-safe.
 */
final class Resource implements AutoCloseable {

    /**
     * What a holder must do.
     *
     * @param stay how long it stays inside
     * @param requests how many other locks it asks for at once
     * @param latch the number of the latch that it counts down as long as it stays; 0 if there is none
     */
    record Wish(Duration stay, int requests, long latch) {

        /** A wish only to stay inside. */
        static Wish stay(Duration time) {
            return new Wish(time, 0, 0);
        }
    }

    /** Called for each write before the write is checked. The worker that sends a write is inside a lock. */
    @FunctionalInterface
    interface Gate {

        /**
         * Called when a write has come.
         *
         * @param process the process that sent it
         * @param lock the lock that this process is inside
         * @param waiter another process that waits for the same lock just now, if there is any
         * @return what the holder must do
         */
        Wish pass(int process, String lock, OptionalInt waiter);
    }

    private final History history;
    private final Gate gate;
    private final ServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<Socket, Waiting> waiting = new ConcurrentHashMap<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Long> largest = new HashMap<>(); // guarded by lock

    /** A thread of a process waits for a lock. */
    private record Waiting(int process, String lock) {}

    Resource(History history, Gate gate) {
        this.history = history;
        this.gate = gate;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "resource");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket socket = listening.accept();
                open.add(socket);
                start(() -> serve(socket));
            } catch (IOException closed) {
                // the loop checks whether the listening socket was closed
            }
        }
    }

    private void serve(Socket socket) {
        try (socket;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ");
                switch (words[0]) {
                    case "wait" -> waiting.put(socket, new Waiting(Integer.parseInt(words[1]), words[2]));
                    case "end" -> waiting.remove(socket);
                    default -> write(words, socket);
                }
            }
        } catch (IOException gone) {
            // its process was killed
        } finally {
            open.remove(socket);
            waiting.remove(socket);
        }
    }

    private void write(String[] words, Socket socket) throws IOException {
        int process = Integer.parseInt(words[0]);
        String name = words[2];
        OptionalInt waiter = waiting.values().stream()
                .filter(other -> other.process() != process && other.lock().equals(name))
                .mapToInt(Waiting::process)
                .findFirst();
        Wish wish = gate.pass(process, name, waiter);
        write(process, Long.parseLong(words[1]), name, Long.parseLong(words[3]));
        String answer = wish.stay().toMillis() + " " + wish.requests() + " " + wish.latch() + "\n";
        socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
    }

    private void write(int process, long op, String name, long token) {
        lock.lock();
        try {
            boolean accepted = largest.getOrDefault(name, Long.MIN_VALUE) <= token;
            if (accepted) {
                largest.put(name, token);
            }
            history.add(accepted ? Kind.ACCEPTED : Kind.REFUSED, process, op, name, token, 0);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        closeQuietly(listening);
        open.forEach(Resource::closeQuietly);
    }

    private static void closeQuietly(Closeable closeable) {
        try {
            closeable.close();
        } catch (IOException ignored) {
            // the socket is of no use any more in either case
        }
    }
}
