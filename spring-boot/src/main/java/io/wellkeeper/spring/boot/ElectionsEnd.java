package io.wellkeeper.spring.boot;

import io.wellkeeper.LeaderElection;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/** Has the elections that are beans resign before an application that is being closed stops its schedulers, so that others lead soon. */
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

    /** Nobody would know afterwards which of them have stood before. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
