/** What users and writers of stores test with: in-memory stores, simulated time, faults, and contract kits. */
module io.wellkeeper.testkit {
    requires transitive io.wellkeeper;
    requires transitive org.junit.jupiter.api;
    requires org.assertj.core;
    requires static org.jspecify;

    exports io.wellkeeper.testkit;
    exports io.wellkeeper.testkit.process;
}
