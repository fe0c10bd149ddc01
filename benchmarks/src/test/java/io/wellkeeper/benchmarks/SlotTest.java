package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class SlotTest {

    @Test
    void command_throughJson_isTheSame() throws IOException {
        ObjectMapper json = new ObjectMapper();
        Slot.Command command = new Slot.Command(
                Slot.Step.PREPARE,
                new Slot.Job(
                        Store.REDIS,
                        Contestant.STRICT,
                        Recipe.MUTEX,
                        1,
                        "redis://127.0.0.1:6379",
                        "a",
                        Slot.Role.FRESH,
                        4,
                        0,
                        5));

        assertThat(json.readValue(json.writeValueAsString(command), Slot.Command.class))
                .isEqualTo(command);
    }
}
