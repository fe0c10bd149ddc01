/** Launchers of real servers, and a faulty network. */
module io.wellkeeper.testservers {
    requires transitive io.wellkeeper.storekit;
    requires static org.jspecify;

    exports io.wellkeeper.testservers;
}
