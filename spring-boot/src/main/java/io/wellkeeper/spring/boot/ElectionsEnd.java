package io.wellkeeper.spring.boot;

import io.wellkeeper.LeaderElection;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Lets the elections that are beans resign early when the application is being closed, before its schedulers stop, so
 * that another candidate leads soon.
 */
final class ElectionsEnd implements SmartLifecycle {

    static final int PHASE = Integer.MAX_VALUE - 1000;

    private final ObjectProvider<LeaderElection> elections;
    private volatile boolean running;

    ElectionsEnd(ObjectProvider<LeaderElection> elections) {
        this.elections = elections;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        elections.forEach(LeaderElection::resign);
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** No: after a pause it would not be known which of the candidates had stood before. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
