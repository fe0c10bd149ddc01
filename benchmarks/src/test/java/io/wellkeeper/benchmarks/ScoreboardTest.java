package io.wellkeeper.benchmarks;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScoreboardTest {

    private Scoreboard one;
    private Scoreboard other;

    @BeforeEach
    void share(@TempDir Path directory) throws IOException {
        one = Scoreboard.in(directory.resolve("scoreboard"));
        other = Scoreboard.in(directory.resolve("scoreboard"));
    }

    @Test
    void enter_secondBesideOneWhoTakesAll_isNoticedByBoth() {
        one.enter(Scoreboard.WHOLE);

        assertThatThrownBy(() -> other.enter(1))
                .isInstanceOf(LockBrokenException.class)
                .hasMessage("too many hold the lock at once: a share of 1 was given beside 1048576, of 1048576");
        assertThatThrownBy(() -> one.leave(Scoreboard.WHOLE))
                .isInstanceOf(LockBrokenException.class)
                .hasMessage("too many hold the lock at once: shares of 1048577, of 1048576");
    }

    @Test
    void enter_writerBesideReader_isNoticed() {
        one.enter(1);

        assertThatThrownBy(() -> other.enter(Scoreboard.WHOLE)).isInstanceOf(LockBrokenException.class);
    }

    @Test
    void enter_onePermitTooMany_isNoticed() {
        int permit = Scoreboard.WHOLE / 4;
        for (int i = 0; i < 4; i++) {
            one.enter(permit);
        }
        one.leave(permit);
        one.enter(permit);

        assertThatThrownBy(() -> other.enter(permit)).isInstanceOf(LockBrokenException.class);
    }

    @Test
    void show_notLargerThanThatOfOneWhoTookAll_isNoticed() {
        one.show(7, Scoreboard.WHOLE);

        assertThatThrownBy(() -> other.show(7, Scoreboard.WHOLE))
                .isInstanceOf(LockBrokenException.class)
                .hasMessage("fencing token 7 after 7");
        assertThatThrownBy(() -> other.show(6, 1)).isInstanceOf(LockBrokenException.class);
    }

    @Test
    void show_ofReaders_isNotRemembered() {
        one.show(9, 1);

        assertThatCode(() -> other.show(8, 1)).doesNotThrowAnyException();
        assertThatCode(() -> other.show(8, Scoreboard.WHOLE)).doesNotThrowAnyException();
    }
}
