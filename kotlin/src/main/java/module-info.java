/** Wellkeeper's locks for Kotlin's coroutines. */
module io.wellkeeper.kotlin {
    requires transitive io.wellkeeper;
    requires transitive kotlin.stdlib;
    requires transitive kotlinx.coroutines.core;

    exports io.wellkeeper.kotlin;
}
