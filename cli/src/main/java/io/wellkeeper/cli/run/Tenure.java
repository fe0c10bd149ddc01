package io.wellkeeper.cli.run;

import io.wellkeeper.LockHandle;
import io.wellkeeper.MultiLockHandle;
import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What a command runs under: one lock, or several at once. */
public interface Tenure extends AutoCloseable {

    /** See {@link LockHandle#isHeld()}. */
    boolean isHeld();

    /** See {@link LockHandle#remaining()}. */
    Duration remaining();

    /** See {@link LockHandle#onLost}. */
    Registration onLost(Runnable action);

    /** See {@link LockHandle#onRevocationRequested}. */
    Registration onRevocationRequested(RevocationListener listener);

    /** What the command finds in its environment; what has no value is removed from it. */
    Map<String, Optional<String>> environment();

    @Override
    void close();

    /** One lock, or permits of a semaphore. */
    static Tenure of(LockHandle handle) {
        return new Tenure() {
            @Override
            public boolean isHeld() {
                return handle.isHeld();
            }

            @Override
            public Duration remaining() {
                return handle.remaining();
            }

            @Override
            public Registration onLost(Runnable action) {
                return handle.onLost(action);
            }

            @Override
            public Registration onRevocationRequested(RevocationListener listener) {
                return handle.onRevocationRequested(listener);
            }

            @Override
            public Map<String, Optional<String>> environment() {
                return Map.of(
                        "WELLKEEPER_LOCK", Optional.of(handle.name()),
                        "WELLKEEPER_FENCING_TOKEN", token());
            }

            private Optional<String> token() {
                try {
                    return Optional.of(Long.toString(handle.fencingToken()));
                } catch (UnsupportedOperationException noHonestToken) {
                    return Optional.empty();
                }
            }

            @Override
            public void close() {
                handle.close();
            }
        };
    }

    /** Several locks: a line for each, and the first of them as if it were alone. */
    static Tenure of(MultiLockHandle handle) {
        return new Tenure() {
            @Override
            public boolean isHeld() {
                return handle.isHeld();
            }

            @Override
            public Duration remaining() {
                return handle.remaining();
            }

            @Override
            public Registration onLost(Runnable action) {
                return handle.onLost(action);
            }

            @Override
            public Registration onRevocationRequested(RevocationListener listener) {
                return handle.onRevocationRequested(listener);
            }

            @Override
            public Map<String, Optional<String>> environment() {
                Map<String, Long> tokens = handle.fencingTokens();
                Map.Entry<String, Long> first = tokens.entrySet().iterator().next();
                Map<String, Optional<String>> all = new LinkedHashMap<>();
                all.put("WELLKEEPER_LOCK", Optional.of(first.getKey()));
                all.put("WELLKEEPER_FENCING_TOKEN", Optional.of(first.getValue().toString()));
                all.put("WELLKEEPER_LOCKS", Optional.of(String.join("\n", tokens.keySet())));
                all.put(
                        "WELLKEEPER_FENCING_TOKENS",
                        Optional.of(
                                tokens.values().stream().map(String::valueOf).collect(Collectors.joining("\n"))));
                return all;
            }

            @Override
            public void close() {
                handle.close();
            }
        };
    }
}
