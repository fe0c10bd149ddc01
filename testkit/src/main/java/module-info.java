/** Stores in memory, under real or simulated time, and a JUnit extension: for tests of code that uses Wellkeeper. */
module io.wellkeeper.testkit {
    requires transitive io.wellkeeper;
    requires transitive org.junit.jupiter.api;
    requires static org.jspecify;

    exports io.wellkeeper.testkit;
}
