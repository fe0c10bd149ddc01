package io.wellkeeper.torture;

import io.wellkeeper.torture.Event.Kind;
import java.util.Optional;

/** A client in this process that connects, acquires a lock once as soon as possible, and closes. */
final class Newcomer {

    private final int number;
    private final String uri;
    private final Plan plan;
    private final Lock lock;
    private final History history;
    private final Thread thread = new Thread(this::visit, "newcomer");

    private Newcomer(int number, String uri, Plan plan, Lock lock, History history) {
        this.number = number;
        this.uri = uri;
        this.plan = plan;
        this.lock = lock;
        this.history = history;
    }

    /**
     * Starts the client on a daemon thread.
     *
     * @param number the process number that it has in the history
     * @param uri of the store
     * @param plan the plan that has the lock
     * @param name of the lock
     * @param history where its events are written
     */
    static Newcomer start(int number, String uri, Plan plan, String name, History history) {
        Lock wanted = plan.locks().stream()
                .filter(lock -> lock.name().equals(name))
                .findFirst()
                .orElseThrow();
        Newcomer newcomer = new Newcomer(number, uri, plan, wanted, history);
        newcomer.thread.setDaemon(true);
        newcomer.thread.start();
        return newcomer;
    }

    private void visit() {
        String name = "torture-" + number;
        say(Kind.STARTED, 0, name, ProcessHandle.current().pid(), 0);
        try (Locks locks = Locks.areSimple(uri)
                ? Locks.simple(uri, name, plan.sessionTimeout())
                : Locks.wellkeeper(uri, "-", name, plan.sessionTimeout())) {
            say(Kind.REQUEST, 1, lock.name(), lock.permits(), -1);
            Locks.Grant grant =
                    locks.acquire(lock, lock.permits(), Optional.empty()).orElseThrow();
            say(Kind.GRANTED, 1, "-", grant.token(), 0);
            say(Kind.HELD, 1, "-", grant.isHeld() ? 1 : 0, 0);
            say(Kind.RELEASE, 1, "-", 0, 0);
            say(Kind.RELEASED, 1, "-", grant.release() ? 1 : 0, 0);
        } catch (InterruptedException | RuntimeException bug) {
            say(Kind.BUG, 0, bug.getClass().getName(), 0, 0);
        }
        say(Kind.GONE, 0, "-", 0, 0);
    }

    private void say(Kind kind, long op, String what, long a, long b) {
        history.add(kind, number, op, what, a, b);
    }

    /** Whether the client is gone. */
    boolean hasLeft() {
        return !thread.isAlive();
    }
}
