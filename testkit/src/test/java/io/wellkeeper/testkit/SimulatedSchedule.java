package io.wellkeeper.testkit;

import java.util.List;

/** Something under faults in simulated time. The same seed gives the same run. */
interface SimulatedSchedule {

    /** Throws if something is wrong. */
    void run();

    /** What has happened. */
    List<String> words();
}
