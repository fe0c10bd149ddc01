package io.wellkeeper.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.Registration;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SystemTimeTest {

    /** Such as the wait that a store suggests: whoever sets an alarm does so in the midst of something. */
    @Test
    void schedule_longerThanCanBeCounted_isSetAllTheSame() {
        try (SystemTime time = new SystemTime("test")) {
            Registration alarm = time.schedule(Duration.ofSeconds(Long.MAX_VALUE), () -> {});

            assertThat(alarm).isNotSameAs(Registration.NONE);
            alarm.close();
        }
    }
}
