package io.wellkeeper.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloserTest {

    private final List<String> closed = new ArrayList<>();

    @Test
    void close_severalResources_closesTheLastFirstAndEachOnce() {
        Closer closer = new Closer();
        closer.register(resource("first"));
        closer.register(resource("second"));

        closer.close();
        closer.close();

        assertThat(closed).containsExactly("second", "first");
    }

    @Test
    void close_oneResourceFails_theOthersAreClosed() {
        Closer closer = new Closer();
        closer.register(resource("first"));
        closer.register(() -> {
            throw new IllegalStateException();
        });

        closer.close();

        assertThat(closed).containsExactly("first");
    }

    @Test
    void register_afterTheEnd_closesAtOnce() {
        Closer closer = new Closer();
        closer.close();

        closer.register(resource("late"));

        assertThat(closed).containsExactly("late");
    }

    private AutoCloseable resource(String name) {
        return () -> closed.add(name);
    }
}
