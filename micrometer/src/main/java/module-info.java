/** Metrics and traces of Wellkeeper's locks, by Micrometer. */
module io.wellkeeper.micrometer {
    requires transitive io.wellkeeper;
    requires transitive static org.jspecify;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires transitive micrometer.commons;
    requires org.slf4j;

    exports io.wellkeeper.micrometer;
}
