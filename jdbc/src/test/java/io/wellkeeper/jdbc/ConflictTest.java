package io.wellkeeper.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.wellkeeper.DistributedLock;
import io.wellkeeper.LeaseClient;
import io.wellkeeper.LockClient;
import io.wellkeeper.LockSource;
import io.wellkeeper.LockStoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The database refuses a change, as it does when transactions are in each other's way; here a trigger has it do so. */
@Tag("full")
class ConflictTest {

    private static final int ROUNDS = 5;
    private static final int SECONDS = 30;
    private static final int DEADLOCK = 1213;
    private static final int ROLLED_BACK = 3101; // by MySQL's Group Replication

    private final String prefix = RealDatabase.prefix();

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, jdbc:, 40001",
        "POSTGRESQL, jdbc:, 40P01",
        "POSTGRESQL, jdbc-simple:, 40001",
        "POSTGRESQL, jdbc-simple:, 40P01",
        "MARIADB, jdbc:, 40001",
        "MARIADB, jdbc:, 40000",
        "MARIADB, jdbc-simple:, 40001",
        "MARIADB, jdbc-simple:, 40000"
    })
    void acquire_twoOfThreeChangesAreRefused_nobodyHears(RealDatabase database, String scheme, String state)
            throws Exception {
        try (LockSource client = connect(database, scheme);
                LockSource other = connect(database, scheme)) {
            refuse(database, scheme, state, 3);

            for (int round = 0; round < ROUNDS; round++) {
                for (DistributedLock lock : List.of(client.lock("a"), other.lock("a"))) {
                    lock.acquireAsync().get(SECONDS, TimeUnit.SECONDS).close();
                    assertThat(lock.tryLock(SECONDS, TimeUnit.SECONDS)).isTrue();
                    lock.unlock();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, jdbc:, 40001",
        "POSTGRESQL, jdbc-simple:, 40P01",
        "MARIADB, jdbc:, 40001",
        "MARIADB, jdbc-simple:, 40001"
    })
    void tryLock_everyChangeIsRefused_endsInTimeAndNothingIsLeft(RealDatabase database, String scheme, String state)
            throws Exception {
        try (LockSource client = connect(database, scheme);
                LockSource other = connect(database, scheme)) {
            refuse(database, scheme, state, 0);
            long start = System.nanoTime();

            try {
                assertThat(client.lock("a").tryLock(500, TimeUnit.MILLISECONDS)).isFalse();
            } catch (LockStoreException refused) {
                assertThat(refused).hasMessageContaining("planted");
            }

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
            allow(database, scheme);
            for (LockSource each : List.of(other, client)) {
                assertThat(each.lock("a").tryLock(SECONDS, TimeUnit.SECONDS)).isTrue();
                each.lock("a").unlock();
            }
        }
    }

    /** With its tables made, and a row for the lock. */
    private LockSource connect(RealDatabase database, String scheme) {
        String uri = database.uri(scheme, database.port()) + "&prefix=" + prefix;
        LockSource client = scheme.equals("jdbc:") ? LockClient.connect(uri) : LeaseClient.connect(uri);
        client.lock("a").lock();
        client.lock("a").unlock();
        return client;
    }

    private String table(String scheme) {
        return prefix + (scheme.equals("jdbc:") ? "lock" : "lease");
    }

    /**
     * Refuses to change rows of locks.
     *
     * @param period of so many changes one is carried out; 0 for none of all
     */
    private void refuse(RealDatabase database, String scheme, String state, int period) throws SQLException {
        // after a trigger of an update MariaDB has forgotten the number that the lock table asks for
        String change = database == RealDatabase.MARIADB && scheme.equals("jdbc-simple:") ? "INSERT" : "UPDATE";
        String trigger =
                "CREATE TRIGGER " + prefix + "refuse BEFORE " + change + " ON " + table(scheme) + " FOR EACH ROW ";
        if (database == RealDatabase.POSTGRESQL) {
            database.execute("CREATE SEQUENCE " + prefix + "changes; CREATE FUNCTION " + prefix + "refuse()"
                    + " RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " IF mod(nextval('" + prefix + "changes'), nullif(" + period
                    + ", 0)) = 0 THEN RETURN NEW; END IF;"
                    + " RAISE EXCEPTION 'planted' USING ERRCODE = '" + state + "'; END $$; "
                    + trigger + "EXECUTE FUNCTION " + prefix + "refuse()");
        } else {
            database.execute(trigger + "BEGIN SET @changes = COALESCE(@changes, 0) + 1;"
                    + " IF COALESCE(MOD(@changes, " + period + "), 1) <> 0 THEN SIGNAL SQLSTATE '" + state + "'"
                    + " SET MYSQL_ERRNO = " + (state.equals("40001") ? DEADLOCK : ROLLED_BACK)
                    + ", MESSAGE_TEXT = 'planted'; END IF; END");
        }
    }

    private void allow(RealDatabase database, String scheme) throws SQLException {
        database.execute("DROP TRIGGER " + prefix + "refuse"
                + (database == RealDatabase.POSTGRESQL ? " ON " + table(scheme) : ""));
    }
}
