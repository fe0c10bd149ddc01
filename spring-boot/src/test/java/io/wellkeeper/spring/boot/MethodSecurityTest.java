package io.wellkeeper.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.wellkeeper.LockListener;
import io.wellkeeper.spring.CurrentLock;
import io.wellkeeper.spring.Locked;
import io.wellkeeper.testkit.InMemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;

/** Guarded methods that not everybody may call. */
class MethodSecurityTest {

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Secured {}

    /** Guarded, and secured. */
    static class Works {

        @Locked("x")
        @PreAuthorize("hasRole('OPERATOR')")
        public boolean before() {
            CurrentLock.assertHeld("x");
            return true;
        }

        @Locked("x")
        @PostAuthorize("hasRole('OPERATOR')")
        public boolean after() {
            CurrentLock.assertHeld("x");
            return true;
        }
    }

    private final List<String> acquired = new CopyOnWriteArrayList<>();

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    private static void logIn(String role) {
        SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("alice", "", role));
    }

    private void run(Consumer<ApplicationContext> test) {
        LockListener listener = new LockListener() {
            @Override
            public void acquired(Acquisition what, Duration waited) {
                acquired.add(what.lock());
            }
        };
        new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(WellkeeperAutoConfiguration.class, LockedAutoConfiguration.class))
                .withUserConfiguration(MemoryStore.class, Secured.class)
                .withBean(Works.class)
                .withBean(LockListener.class, () -> listener)
                .run(test::accept);
    }

    private static void awaitFree(ApplicationContext context) {
        await().until(() -> context.getBean(InMemoryServer.class).queueLength("x") == 0);
    }

    @Test
    void preAuthorize_comesBeforeTheLock_whichNobodyTakesWhoMayNot() {
        run(context -> {
            Works works = context.getBean(Works.class);
            logIn("ROLE_GUEST");
            assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(works::before);
            assertThat(acquired).isEmpty();

            logIn("ROLE_OPERATOR");
            assertThat(works.before()).isTrue();
            await().untilAsserted(() -> assertThat(acquired).containsExactly("x")); // told on a thread of its own
            awaitFree(context);
        });
    }

    @Test
    void postAuthorize_comesAfterTheLock_whichIsReleased() {
        run(context -> {
            logIn("ROLE_GUEST");
            assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(context.getBean(Works.class)::after);
            awaitFree(context);
        });
    }
}
