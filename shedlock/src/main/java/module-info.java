/** ShedLock over Wellkeeper's locks. */
module io.wellkeeper.shedlock {
    requires transitive io.wellkeeper;
    requires transitive static org.jspecify;
    requires transitive net.javacrumbs.shedlock.core;
    requires org.slf4j;

    exports io.wellkeeper.shedlock;
}
