package io.wellkeeper.benchmarks;

/** Thrown if a lock did not keep its promise, so that its figures are worth nothing. */
final class LockBrokenException extends IllegalStateException {

    private static final long serialVersionUID = 1;

    LockBrokenException(String message) {
        super(message);
    }
}
