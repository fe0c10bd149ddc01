import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A user's program: locks in the stores of the URIs it is given. It says PAUSE and RESUME when the servers shall do so, and at the
 * end on which versions it has run; it fails if anything does not work.
 */
public final class Smoke {

    private Smoke() {}

    public static void main(String[] uris) throws Exception {
        for (String uri : uris) {
            ClientOptions options = ClientOptions.builder()
                    .sessionTimeout(Duration.ofSeconds(4))
                    .storeTimeout(Duration.ofMinutes(1))
                    .build();
            try (LockClient one = LockClient.connect(uri, options);
                    LockClient other = LockClient.connect(uri, options)) {
                handOver(one, other);
                lose(one);
            }
        }
        System.out.println("Lettuce " + lettuce() + ", Netty " + netty());
        System.exit(0); // whatever threads a store may have left
    }

    private static void handOver(LockClient one, LockClient other) throws Exception {
        one.lock("smoke").lock();
        one.lock("smoke").checkHeld();
        CompletableFuture<LockHandle> next = other.lock("smoke").acquireAsync();
        while (one.admin().inspect("smoke").waiters().size() != 1) {
            Thread.onSpinWait();
        }
        check(!next.isDone(), "the lock was granted twice");
        one.lock("smoke").unlock();
        try (LockHandle handle = next.get(1, TimeUnit.MINUTES)) {
            check(handle.isHeld(), "the lock was not handed over");
        }
    }

    /** The servers are silent for longer than the session lasts. */
    private static void lose(LockClient client) throws Exception {
        LockHandle held = client.lock("lost").acquire();
        CompletableFuture<Void> told = new CompletableFuture<>();
        held.onLost(() -> told.complete(null));
        System.out.println("PAUSE");
        told.get(1, TimeUnit.MINUTES);
        check(!held.isHeld(), "what was lost is held");
        System.out.println("RESUME");
        client.lock("lost").acquireAsync().get(1, TimeUnit.MINUTES).close();
    }

    private static String lettuce() {
        return io.lettuce.core.LettuceVersion.getVersion();
    }

    private static String netty() {
        TreeSet<String> versions = new TreeSet<>();
        io.netty.util.Version.identify().values().forEach(one -> versions.add(one.artifactVersion()));
        check(versions.size() == 1, "Netty is of more than one version: " + io.netty.util.Version.identify());
        return versions.first();
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
