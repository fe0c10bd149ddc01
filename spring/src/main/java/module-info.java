/** Methods of Spring beans that run under a Wellkeeper lock. */
module io.wellkeeper.spring {
    requires static transitive com.tngtech.archunit;
    requires transitive io.wellkeeper;
    requires static kotlin.stdlib;
    requires static kotlinx.coroutines.core;
    requires transitive static org.jspecify;
    requires static org.reactivestreams;
    requires org.slf4j;
    requires static reactor.core;
    requires spring.aop;
    requires transitive spring.beans;
    requires transitive spring.context;
    requires transitive spring.core;
    requires spring.expression;
    requires spring.tx;

    exports io.wellkeeper.spring;
    exports io.wellkeeper.spring.testing;

    opens io.wellkeeper.spring to
            spring.beans,
            spring.context,
            spring.core;
}
