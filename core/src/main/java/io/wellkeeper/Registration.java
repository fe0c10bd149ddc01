package io.wellkeeper;

/**
 * A registered listener, watch or action, which {@link #close()} removes. Closing it twice is harmless; a call that is
 * already under way when it is closed may still run once.
 */
@FunctionalInterface
public interface Registration extends AutoCloseable {

    /** A registration of nothing. */
    Registration NONE = () -> {};

    @Override
    void close();
}
