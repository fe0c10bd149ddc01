package io.wellkeeper;

/**
 * Something that was registered and can be taken back. Closing it twice is harmless; what was already under way when
 * it was closed may still run once.
 */
@FunctionalInterface
public interface Registration extends AutoCloseable {

    /** A registration of nothing. */
    Registration NONE = () -> {};

    @Override
    void close();
}
