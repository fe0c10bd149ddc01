package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.ClientOptions;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockHandle;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The longest session timeout that there is. */
class LongSessionTest {

    private static final ClientOptions LONGEST =
            ClientOptions.builder().sessionTimeout(Duration.ofDays(36_500)).build();

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void connect_sessionIsVeryLong_locks(RealDatabase database) throws Exception {
        database.getConnection().close(); // it has been started
        String uri = database.uri("jdbc:", database.port()) + "&prefix=" + RealDatabase.prefix();

        try (LockClient client = LockClient.connect(uri, LONGEST);
                LockHandle handle = client.lock("long").acquire()) {
            assertThat(handle.isHeld()).isTrue();
        }
    }
}
