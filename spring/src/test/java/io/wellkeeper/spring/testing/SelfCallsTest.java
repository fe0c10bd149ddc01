package io.wellkeeper.spring.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.wellkeeper.spring.Locked;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule that finds calls past the proxy. */
class SelfCallsTest {

    /** Guarded, and called from elsewhere. */
    static class Orders {

        @Locked("order/#{#id}")
        public void ship(long id) {}

        public void other() {}
    }

    /** Calls its own method. */
    static class Direct {

        @Locked("order/#{#id}")
        public void ship(long id) {}

        void all(List<Long> ids) {
            ids.forEach(id -> ship(id));
        }
    }

    /** Refers to its own method. */
    static class Reference {

        @Locked("order/#{#id}")
        public void ship(long id) {}

        LongConsumer shipping() {
            return this::ship;
        }
    }

    /** Calls the method of the class above. */
    static class Below extends Orders {

        void all() {
            ship(1);
        }
    }

    /** Calls the method from a class within. */
    static class Outer {

        @Locked("order/#{#id}")
        public void ship(long id) {}

        class Nested {
            void all() {
                ship(1);
            }
        }
    }

    /** Calls another bean, and its own methods that are not guarded. */
    static class Caller {

        private final Orders orders = new Orders();

        @Locked("caller")
        public void all() {
            orders.ship(1);
            plain();
        }

        void plain() {
            orders.other();
        }
    }

    private static JavaClasses classes(Class<?>... classes) {
        return new ClassFileImporter().importClasses(classes);
    }

    @ParameterizedTest
    @ValueSource(classes = {Direct.class, Reference.class, Below.class})
    void selfCall_isFound(Class<?> wrong) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> SelfCalls.NONE_OF_LOCKED_METHODS.check(classes(wrong, Orders.class)))
                .withMessageContainingAll(wrong.getSimpleName(), "ship(long)", "without the lock");
    }

    @Test
    void selfCall_fromANestedClass_isFound() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> SelfCalls.NONE_OF_LOCKED_METHODS.check(classes(Outer.class, Outer.Nested.class)))
                .withMessageContaining("ship(long)");
    }

    @Test
    void callOfAnotherBean_isAllowed() {
        JavaClasses classes = classes(Caller.class, Orders.class);

        SelfCalls.NONE_OF_LOCKED_METHODS.check(classes);

        assertThat(classes).hasSize(2);
    }
}
