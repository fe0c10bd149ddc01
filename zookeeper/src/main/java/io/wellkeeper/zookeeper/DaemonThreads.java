package io.wellkeeper.zookeeper;

/** Threads for what may take its time, and must hold up nobody. */
final class DaemonThreads {

    private DaemonThreads() {}

    static void start(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
