package io.wellkeeper.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.wellkeeper.benchmarks.Slot.Command;
import io.wellkeeper.benchmarks.Slot.Job;
import io.wellkeeper.benchmarks.Slot.Reply;
import io.wellkeeper.benchmarks.Slot.Step;
import io.wellkeeper.storekit.JavaProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The worker processes of one side. They live from slot to slot, so that they are warm. Each side has its own: if both
 * sides used the same processes in turns, each would spoil the code that the compilers have made of shared libraries,
 * such as Netty, for the other side's use.
 */
final class Fleet implements AutoCloseable {

    /**
     * Makes the compilers start early; else a process that gets only few of the cycles would run uncompiled for long.
     */
    private static final String COMPILE_SOON = "-XX:CompileThresholdScaling=0.1";

    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(90);

    private final ObjectMapper json = new ObjectMapper();
    private final List<Member> members = new ArrayList<>();

    /** One worker, and the connection to it. */
    private record Member(JavaProcess process, Socket socket, BufferedReader in, OutputStream out) {}

    /**
     * Starts the workers.
     *
     * @param name for messages
     * @param size how many
     * @param scoreboard the file that they share
     */
    Fleet(String name, int size, Path scoreboard) throws IOException {
        try (ServerSocket door = new ServerSocket(0, size, InetAddress.getLoopbackAddress())) {
            door.setSoTimeout((int) REPLY_TIMEOUT.toMillis());
            for (int i = 1; i <= size; i++) {
                JavaProcess process = JavaProcess.of(Worker.class.getName())
                        .name(name + "-" + i)
                        .options("-Xms256m", "-Xmx256m", COMPILE_SOON)
                        .property("org.slf4j.simpleLogger.defaultLogLevel", "error")
                        .arguments(Integer.toString(door.getLocalPort()), scoreboard.toString())
                        .start();
                members.add(greet(process, door));
            }
        } catch (IOException failed) {
            close();
            throw failed;
        }
    }

    private static Member greet(JavaProcess process, ServerSocket door) throws IOException {
        try {
            Socket socket = door.accept();
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) REPLY_TIMEOUT.toMillis());
            return new Member(
                    process,
                    socket,
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)),
                    socket.getOutputStream());
        } catch (IOException failed) {
            process.close();
            throw new IOException("a worker does not start:\n" + String.join("\n", process.output()), failed);
        }
    }

    /** Lets the first workers connect, one for each job, and waits until all have. */
    void prepare(List<Job> jobs) throws IOException {
        for (int i = 0; i < jobs.size(); i++) {
            send(members.get(i), new Command(Step.PREPARE, jobs.get(i)));
        }
        replies(jobs.size());
    }

    /** Lets the first workers begin. */
    void run(int count) throws IOException {
        sendAll(count, Step.RUN);
    }

    /** Lets the first workers disconnect, and waits until all have. */
    void disconnect(int count) throws IOException {
        sendAll(count, Step.CLOSE);
        replies(count);
    }

    /**
     * The replies of the first workers to their last command.
     *
     * @throws IllegalStateException if one has failed; the message says why
     */
    List<Reply> replies(int count) throws IOException {
        List<Reply> result = new ArrayList<>();
        for (Member member : members.subList(0, count)) {
            Reply reply = receive(member);
            if (!reply.problem().isEmpty()) {
                throw new IllegalStateException(reply.problem());
            }
            result.add(reply);
        }
        return result;
    }

    private void sendAll(int count, Step step) throws IOException {
        for (Member member : members.subList(0, count)) {
            send(member, new Command(step, null));
        }
    }

    private void send(Member member, Command command) throws IOException {
        member.out().write((json.writeValueAsString(command) + "\n").getBytes(StandardCharsets.UTF_8));
        member.out().flush();
    }

    private Reply receive(Member member) throws IOException {
        String line;
        try {
            line = member.in().readLine();
        } catch (IOException silent) {
            throw new IOException("a worker does not answer:\n" + said(member), silent);
        }
        if (line == null) {
            throw new IOException("a worker has ended:\n" + said(member));
        }
        return json.readValue(line, Reply.class);
    }

    private static String said(Member member) {
        return String.join("\n", member.process().output());
    }

    @Override
    public void close() throws IOException {
        for (Member member : members) {
            member.process().close();
            member.socket().close();
        }
    }
}
