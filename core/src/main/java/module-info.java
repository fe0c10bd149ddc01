/** Distributed locks that are fair, fenced and fast: the API, the algorithms, and the seams for stores. */
module io.wellkeeper {
    requires transitive static org.jspecify;
    requires org.slf4j;

    exports io.wellkeeper;
    exports io.wellkeeper.spi;

    uses io.wellkeeper.spi.StoreProvider;
    uses io.wellkeeper.spi.LeaseStoreProvider;
}
