package io.wellkeeper.spring.integration;

import io.wellkeeper.LockOptions;
import io.wellkeeper.LockSource;
import io.wellkeeper.spi.LockNames;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.util.UUIDConverter;

/**
 * A Spring Integration lock registry over the locks of a client, for aggregators, file filters, {@code
 * LockRequestHandlerAdvice}, {@code LockRegistryLeaderInitiator} and all other users of a lock registry.
 *
 * <p>The lock of a key is the {@link io.wellkeeper.DistributedLock} whose name is the prefix and the key: fair and
 * reentrant, held for as long as its holder lives, and lost with an exception that is an {@link
 * IllegalMonitorStateException}. The user need not renew a lock, so this is no {@code RenewableLockRegistry}; a time to
 * live would only let a lock end while its holder works.
 *
 * <p><b>Keys</b> are strings, UUIDs, numbers and enum constants. Other types are refused, because the result of their
 * {@code toString()} may differ from process to process. A key that makes a name of more than 512 bytes is replaced by
 * the UUID that Spring Integration makes of it, as in the table of a {@code JdbcLockRegistry}, and its beginning is
 * shown as the label {@code key} when the queue is inspected.
 *
 * <p>Locks are cheap objects of which the registry keeps none, so {@link #expireUnusedOlderThan} has nothing to do.
 */
public final class WellkeeperLockRegistry implements ExpirableLockRegistry<Lock> {

    private static final int MAX_SHOWN = 256;

    private final LockSource client;
    private final String prefix;

    /**
     * The locks have the names of their keys, without a prefix.
     *
     * @param client the client; it stays open
     */
    public WellkeeperLockRegistry(LockSource client) {
        this(client, "");
    }

    /**
     * @param client the client whose locks are used; the caller closes it, which gives back the held locks
     * @param prefix the beginning of the names of the locks, such as {@code integration/}; at most 256 bytes
     * @throws IllegalArgumentException if the prefix is longer
     */
    public WellkeeperLockRegistry(LockSource client, String prefix) {
        if (bytes(prefix).length > LockNames.MAX_BYTES / 2) {
            throw new IllegalArgumentException("the prefix has more than " + LockNames.MAX_BYTES / 2 + " bytes");
        }
        this.client = client;
        this.prefix = prefix;
    }

    /**
     * The lock of a key; nothing is sent.
     *
     * @return a new object each time; the objects of one key are the same lock, but not equal
     * @throws IllegalArgumentException if the key is no string, UUID, number or enum constant, or breaks a rule of
     *     {@link LockSource#lock(String)}
     */
    @Override
    public Lock obtain(Object key) {
        String text = text(key);
        String name = prefix + text;
        if (bytes(name).length <= LockNames.MAX_BYTES) {
            return client.lock(name);
        }
        String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) : text;
        LockOptions options =
                client.options().lockDefaults().toBuilder().label("key", shown).build();
        return client.lock(prefix + UUIDConverter.getUUID(text), options);
    }

    private static String text(Object key) {
        if (key instanceof Enum<?> constant) {
            return constant.name();
        }
        if (key instanceof String || key instanceof UUID || key instanceof Number) {
            return key.toString();
        }
        throw new IllegalArgumentException("a key is a string, UUID, number or enum constant, and not a "
                + key.getClass().getName() + ", which may be another string in another process");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Does nothing: there is nothing to expire. */
    @Override
    public void expireUnusedOlderThan(long age) {}
}
