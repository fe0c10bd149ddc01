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
 * The worker processes of one side. They live from slot to slot, so that they are warm. In processes that both sides used by
 * turns, each would undo what the compilers have made of the other's use of what they share, such as Netty.
 */
final class Fleet implements AutoCloseable {

    /** Else a process that gets few cycles of many is old before what it runs is compiled. */
    private static final String COMPILE_SOON = "-XX:CompileThresholdScaling=0.1";

    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(90);

    private final ObjectMapper json = new ObjectMapper();
    private final List<Member> members = new ArrayList<>();

    /** One worker, and the way to talk to it. */
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

    /** Has the first workers connect, one job each, and waits until all have. */
    void prepare(List<Job> jobs) throws IOException {
        for (int i = 0; i < jobs.size(); i++) {
            send(members.get(i), new Command(Step.PREPARE, jobs.get(i)));
        }
        replies(jobs.size());
    }

    /** Has the first workers begin. */
    void run(int count) throws IOException {
        sendAll(count, Step.RUN);
    }

    /** Has the first workers disconnect, and waits until all have. */
    void disconnect(int count) throws IOException {
        sendAll(count, Step.CLOSE);
        replies(count);
    }

    /**
     * What the first workers say when they have done what they were told last.
     *
     * @throws IllegalStateException if one has failed; with what it said
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
