/** The contracts that every store of Wellkeeper keeps, as abstract tests for the authors of stores. */
module io.wellkeeper.storekit {
    requires transitive io.wellkeeper.testkit;
    requires org.assertj.core;
    requires static org.jspecify;

    exports io.wellkeeper.storekit;
}
