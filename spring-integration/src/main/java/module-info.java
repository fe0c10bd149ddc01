/** Spring Integration's lock registry and leader election over Wellkeeper's locks. */
module io.wellkeeper.spring.integration {
    requires transitive io.wellkeeper;
    requires transitive static org.jspecify;
    requires transitive spring.context;
    requires transitive spring.integration.core;
    requires org.slf4j;

    exports io.wellkeeper.spring.integration;
}
