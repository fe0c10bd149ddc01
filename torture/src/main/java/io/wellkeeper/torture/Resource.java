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
 * What the locks protect: it refuses each write whose token is smaller than the largest that it has seen for that lock, and
 * writes down what it did. The workers send a line, {@code process op lock token}, and are answered with one,
 * {@code stay requests latch}: for how many milliseconds they shall stay inside, if they still hold the lock whatever has become of
 * the write, how many other locks they shall ask for at once, and which latch they shall count down meanwhile, 0 for none. They also say, in lines
 * that are not answered, when they begin to wait for a lock, {@code wait process lock}, and when that is over, {@code end}. A
 * connection is for one thread, which waits for one lock at a time. Thread-safe.
 */
final class Resource implements AutoCloseable {

    /**
     * What a holder shall do.
     *
     * @param stay how long it shall stay inside
     * @param requests how many other locks it shall ask for at once
     * @param latch the number of a latch that it shall count down as long as it stays; 0 if there is none
     */
    record Wish(Duration stay, int requests, long latch) {

        /** Only to stay. */
        static Wish stay(Duration time) {
            return new Wish(time, 0, 0);
        }
    }

    /** Told of each write before it is looked at: whoever sends one is inside. */
    @FunctionalInterface
    interface Gate {

        /**
         * A write has come.
         *
         * @param process who sent it
         * @param lock which lock it is inside
         * @param waiter another one that waits for the same lock just now, if there is any
         * @return what the holder shall do
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
                // the loop looks whether it was the listening socket
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
            // it is gone either way
        }
    }
}
