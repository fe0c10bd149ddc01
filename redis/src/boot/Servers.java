import io.wellkeeper.testservers.RedisProcess;
import io.wellkeeper.testservers.ZooKeeperProcess;
import java.io.BufferedReader;
import java.util.ArrayList;
import java.util.List;

/** Starts Redis and ZooKeeper, runs {@code Smoke} on a class path of its own, and does to the servers what that says. */
public final class Servers {

    private Servers() {}

    /** Arguments: what the line is to begin with, the class path, and the stores' schemes. */
    public static void main(String[] arguments) throws Exception {
        int failed;
        try (RedisProcess redis = RedisProcess.start();
                ZooKeeperProcess zooKeeper = ZooKeeperProcess.start()) {
            List<String> command =
                    new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
            command.addAll(List.of("-cp", arguments[1], "Smoke"));
            for (int i = 2; i < arguments.length; i++) {
                command.add(
                        arguments[i] + "://" + (arguments[i].equals("redis") ? redis.address() : zooKeeper.address()));
            }
            Process program = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader said = program.inputReader();
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                switch (line) {
                    case "PAUSE" -> {
                        redis.pause();
                        zooKeeper.pause();
                    }
                    case "RESUME" -> {
                        redis.resume();
                        zooKeeper.resume();
                    }
                    default -> System.out.println(arguments[0] + ": " + line);
                }
            }
            failed = program.waitFor();
        }
        System.exit(failed);
    }
}
