package io.wellkeeper.storekit;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** A JVM with the class path of this one. It can be killed as by {@code kill -9}, and paused. Thread-safe. */
public final class JavaProcess implements AutoCloseable {

    private static final int KEPT_LINES = 2_000;
    private static final Duration STANDSTILL = Duration.ofSeconds(30);

    private final Process process;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<String> lines = new ArrayDeque<>(); // guarded by lock
    private long droppedLines; // guarded by lock
    private boolean ended; // guarded by lock

    private JavaProcess(Process process, String name) {
        this.process = process;
        this.name = name;
        Thread reader = new Thread(this::read, name + "-output");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * A process that is not started yet.
     *
     * @param mainClass its main class
     * @return a builder, to be completed and started
     */
    public static Builder of(String mainClass) {
        return new Builder(mainClass);
    }

    /** {@return the process id} */
    public long pid() {
        return process.pid();
    }

    /** {@return whether it has not ended} A paused process is alive. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * {@return the lines that the process has written so far to its standard output and error; at most the last
     * {@value #KEPT_LINES}}
     */
    public List<String> output() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a line, among the lines already written and those to come.
     *
     * @param wanted whether a line is the wanted one
     * @param timeout how long to wait
     * @return the first wanted line
     * @throws IllegalStateException if the process has ended, or the time has passed; the message has the output
     */
    public String awaitLine(Predicate<String> wanted, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        lock.lock();
        try {
            long seen = 0;
            while (true) {
                int skip = (int) Math.max(0, seen - droppedLines);
                for (String line : new ArrayList<>(lines).subList(Math.min(skip, lines.size()), lines.size())) {
                    if (wanted.test(line)) {
                        return line;
                    }
                }
                seen = droppedLines + lines.size();
                long left = deadline - System.nanoTime();
                if (ended || left <= 0) {
                    throw new IllegalStateException(
                            name + (ended ? " ended" : " did not write the awaited line in " + timeout) + ":\n"
                                    + String.join("\n", lines));
                }
                changed.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for " + name, interrupted);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the end of the process.
     *
     * @param timeout how long to wait
     * @return its exit code
     * @throws IllegalStateException if the time has passed
     */
    public int awaitExit(Duration timeout) {
        try {
            if (process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                return process.exitValue();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException(name + " has not ended within " + timeout);
    }

    /**
     * Stops the process until {@link #resume()}, as a long garbage collection would (SIGSTOP). When this returns, no
     * thread of it runs any more.
     */
    public void pause() {
        signal("STOP");
        long deadline = System.nanoTime() + STANDSTILL.toNanos();
        while (!standsStill()) { // a thread that waits for the disk keeps all others running for a while
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(name + " does not stop within " + STANDSTILL);
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /** Whether Linux says that each thread is stopped; always true on other systems, which do not say. */
    private boolean standsStill() {
        File[] threads = new File("/proc/" + pid() + "/task").listFiles();
        return threads == null || Arrays.stream(threads).allMatch(JavaProcess::isStopped);
    }

    private static boolean isStopped(File thread) {
        try {
            String stat = Files.readString(thread.toPath().resolve("stat"));
            return stat.startsWith("T", stat.lastIndexOf(')') + 2);
        } catch (IOException gone) {
            return true;
        }
    }

    /** Lets the process run again (SIGCONT). */
    public void resume() {
        signal("CONT");
    }

    /** Ends the process, paused or not, without letting it do anything more (SIGKILL), and waits until it is gone. */
    public void kill() {
        process.destroyForcibly();
        awaitExit(Duration.ofSeconds(30));
    }

    /** As {@link #kill()}. */
    @Override
    public void close() {
        kill();
    }

    private void signal(String signal) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .start();
            String said = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("cannot send SIG" + signal + " to " + name + ": " + said);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while sending SIG" + signal + " to " + name, interrupted);
        }
    }

    private void read() {
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                add(line);
            }
        } catch (IOException closed) {
            // the process is gone
        }
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void add(String line) {
        lock.lock();
        try {
            lines.add(line);
            if (lines.size() > KEPT_LINES) {
                lines.remove();
                droppedLines++;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Describes the process to start. Not thread-safe. */
    public static final class Builder {

        private final String mainClass;
        private final List<String> options = new ArrayList<>();
        private final List<String> arguments = new ArrayList<>();
        private final Map<String, String> environment = new HashMap<>();
        private String name;
        private Path directory = Path.of("").toAbsolutePath();

        private Builder(String mainClass) {
            this.mainClass = mainClass;
            this.name = mainClass.substring(mainClass.lastIndexOf('.') + 1);
        }

        /**
         * Adds options of the JVM.
         *
         * @param more such as {@code -Xmx256m}
         * @return this builder
         */
        public Builder options(String... more) {
            Collections.addAll(options, more);
            return this;
        }

        /**
         * Adds a system property.
         *
         * @param key its name
         * @param value its value
         * @return this builder
         */
        public Builder property(String key, String value) {
            options.add("-D" + key + "=" + value);
            return this;
        }

        /**
         * Adds arguments of the main class.
         *
         * @param more arguments behind the earlier ones
         * @return this builder
         */
        public Builder arguments(String... more) {
            Collections.addAll(arguments, more);
            return this;
        }

        /**
         * Sets an environment variable, which only processes of the same user can see.
         *
         * @param variable its name
         * @param value its value
         * @return this builder
         */
        public Builder environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /**
         * Sets the name of the process in messages.
         *
         * @param name by default the simple name of its main class
         * @return this builder
         */
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /**
         * Sets the working directory of the process.
         *
         * @param directory by default the working directory of this process
         * @return this builder
         */
        public Builder directory(Path directory) {
            this.directory = directory;
            return this;
        }

        /**
         * Starts the process. It must not read its standard input: the process ends when this input ends.
         *
         * @return the process, which may not have begun to run its main class yet
         * @throws UncheckedIOException if it cannot be started
         */
        public JavaProcess start() {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(options);
            command.add("-cp");
            command.add(System.getProperty("java.class.path"));
            command.add(ChildMain.class.getName());
            command.add(mainClass);
            command.addAll(arguments);
            try {
                ProcessBuilder builder = new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true);
                builder.environment().putAll(environment);
                return new JavaProcess(builder.start(), name);
            } catch (IOException failed) {
                throw new UncheckedIOException("cannot start " + name, failed);
            }
        }
    }
}
