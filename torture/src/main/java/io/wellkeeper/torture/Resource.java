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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the locks protect: it refuses each write whose token is smaller than the largest that it has seen for that lock, and
 * writes down what it did. The workers send a line, {@code process op lock token}, and are answered with one,
 * {@code stay}: for how many milliseconds they shall stay inside, or -1 if the write was refused. Thread-safe.
 */
final class Resource implements AutoCloseable {

    /** Told of each write before it is looked at: whoever sends one is inside. */
    @FunctionalInterface
    interface Gate {

        /**
         * A write has come.
         *
         * @param process who sent it
         * @return how long the holder shall stay inside
         */
        Duration pass(int process);
    }

    private final History history;
    private final Gate gate;
    private final ServerSocket listening;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Long> largest = new HashMap<>(); // guarded by lock

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
                int process = Integer.parseInt(words[0]);
                Duration stay = gate.pass(process);
                boolean accepted = write(process, Long.parseLong(words[1]), words[2], Long.parseLong(words[3]));
                String answer = (accepted ? stay.toMillis() : -1) + "\n";
                socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException gone) {
            // its process was killed
        } finally {
            open.remove(socket);
        }
    }

    private boolean write(int process, long op, String name, long token) {
        lock.lock();
        try {
            boolean accepted = largest.getOrDefault(name, Long.MIN_VALUE) <= token;
            if (accepted) {
                largest.put(name, token);
            }
            history.add(accepted ? Kind.ACCEPTED : Kind.REFUSED, process, op, name, token, 0);
            return accepted;
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
