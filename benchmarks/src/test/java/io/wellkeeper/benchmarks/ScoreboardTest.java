package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScoreboardTest {

    @Test
    void check_secondHolderOrOldToken_isNoticed(@TempDir Path directory) throws IOException {
        Scoreboard one = Scoreboard.in(directory.resolve("scoreboard"));
        Scoreboard other = Scoreboard.in(directory.resolve("scoreboard"));
        one.enter(1);
        one.show(7);

        assertThatThrownBy(() -> other.enter(2))
                .isInstanceOf(LockBrokenException.class)
                .hasMessage("two hold the lock at once: 2 and 1");
        assertThatThrownBy(() -> other.show(7))
                .isInstanceOf(LockBrokenException.class)
                .hasMessage("fencing token 7 after 7");
        assertThatThrownBy(() -> other.leave(2))
                .isInstanceOf(LockBrokenException.class)
                .hasMessage("while 2 held the lock 1 got it");
    }
}
