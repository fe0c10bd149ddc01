package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The history of one process: a file of {@linkplain Event events}, one line each, in a directory that the processes of
 * a run share. Each event is given to the operating system before {@link #add} returns, so it survives a {@code kill
 * -9} of its process. The events of one acquisition are in order; events of several threads may be a little out of
 * order. Thread-safe.
 */
final class History implements AutoCloseable {

    private static final String SUFFIX = ".history";

    private final ReentrantLock lock = new ReentrantLock();
    private final FileOutputStream file; // written under lock; a channel would be closed by an interrupt

    /**
     * Begins a file.
     *
     * @param directory of the run
     * @param name of the file, which must not exist
     */
    History(Path directory, String name) {
        Path path = directory.resolve(name + SUFFIX);
        try {
            file = new FileOutputStream(Files.createFile(path).toFile(), true);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Writes an event. */
    void add(Event event) {
        byte[] line = (event.line() + "\n").getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            file.write(line);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } finally {
            lock.unlock();
        }
    }

    /** Writes an event that happens now. */
    void add(Kind kind, int process, long op, String what, long a, long b) {
        add(new Event(System.nanoTime(), kind, process, op, what, a, b));
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /**
     * Reads all events of a run, file by file. A last line without a line end is left out: its process was killed while
     * it wrote the line.
     *
     * @param directory of the run
     * @param events receives each event
     * @throws IllegalArgumentException if there is no history, or a line cannot be read
     */
    static void read(Path directory, Consumer<Event> events) {
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new IllegalArgumentException("no history in " + directory + ": " + failed, failed);
        }
        if (files.isEmpty()) {
            throw new IllegalArgumentException("no history in " + directory);
        }
        files.forEach(file -> readFile(file, events));
    }

    private static void readFile(Path file, Consumer<Event> events) {
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            boolean whole = endsLine(file);
            String line = lines.readLine();
            while (line != null) {
                String next = lines.readLine();
                if (next != null || whole) {
                    events.accept(Event.parse(line));
                }
                line = next;
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(file + ": " + wrong.getMessage(), wrong);
        }
    }

    private static boolean endsLine(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            return channel.size() > 0 && channel.read(last, channel.size() - 1) == 1 && last.get(0) == '\n';
        }
    }
}
