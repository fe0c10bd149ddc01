package io.wellkeeper.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.testservers.RedisProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is sent again after the connection was lost may be carried out twice, and late. */
@ExtendWith(SharedServers.class)
class RepetitionTest {

    private static final String ME = "0123456789abc";
    private static final String OTHER = "cba9876543210";

    private final RedisProcess server;
    private final Keys keys = new Keys("repetition", Keys.SINGLE, false);
    private final Keys.Partition partition = keys.partitions().get(0);

    RepetitionTest(SingleServer servers) {
        server = servers.masters().get(0);
    }

    @BeforeEach
    void begin() {
        server.call("FLUSHALL");
        for (String session : List.of(ME, OTHER)) {
            run(
                    Script.OPEN,
                    session,
                    List.of(partition.sessions(), partition.names(), partition.sequences()),
                    "60000",
                    "60000");
        }
    }

    private List<?> run(Script script, String session, List<String> names, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", script.text(), Integer.toString(names.size())));
        command.addAll(names);
        command.add(session);
        command.add(partition.channels());
        command.addAll(List.of(arguments));
        return (List<?>) server.call(command.toArray(String[]::new));
    }

    private List<?> queue(Script script, String session, String... arguments) {
        List<String> all = new ArrayList<>(List.of("l"));
        all.addAll(List.of(arguments));
        return run(
                script,
                session,
                List.of(
                        partition.sessions(),
                        partition.queue("l"),
                        partition.data("l"),
                        partition.names(),
                        partition.sequences()),
                all.toArray(String[]::new));
    }

    private String take(String session, int sequence) {
        return (String) queue(Script.TAKE, session, "r" + sequence, "" + sequence, "E:1", "", "60000")
                .get(0);
    }

    private List<String> tickets(String session) {
        String all = (String) queue(Script.TICKETS, session).get(0);
        return all.isEmpty() ? List.of() : List.of(all.split(" "));
    }

    private List<?> remove(String ticket) {
        return queue(Script.REMOVE, ME, ticket, number(ticket));
    }

    private static String number(String ticket) {
        return ticket.substring(0, ticket.indexOf(':'));
    }

    @Test
    void take_again_isTheSameTicketWithTheSameAhead() {
        String ahead = take(OTHER, 1);
        String mine = take(ME, 1);
        String behind = take(OTHER, 2);

        List<?> again = queue(Script.TAKE, ME, "r1", "1", "E:1", "", "60000");

        assertThat(again.get(0)).isEqualTo(mine);
        assertThat(again.get(2)).isEqualTo(ahead);
        assertThat(tickets(ME)).isEqualTo(List.of(ahead, mine, behind));
    }

    @Test
    void take_againAfterTheHashWasEvicted_isTheSameTicket() {
        String ahead = take(OTHER, 1);
        String mine = take(ME, 1);
        server.call("DEL", partition.data("l"));

        List<?> again = queue(Script.TAKE, ME, "r1", "2", "E:1", "", "60000");

        assertThat(again.get(0)).isEqualTo(mine);
        assertThat(again.get(2)).isEqualTo(ahead);
        assertThat(tickets(ME)).isEqualTo(List.of(ahead, mine));
    }

    @Test
    void take_lateAfterItsTicketWasRemoved_leavesNothing() {
        remove(take(ME, 1));
        take(ME, 2);

        assertThat(take(ME, 1)).isEmpty();
        assertThat(tickets(ME)).hasSize(1);
    }

    @Test
    void remove_again_leavesTheNextTicketAlone() {
        String gone = take(ME, 1);
        remove(gone);
        String next = take(ME, 2);

        assertThat(remove(gone)).isEqualTo(List.of(0L));
        assertThat(tickets(ME)).isEqualTo(List.of(next));
    }

    @Test
    void takeThatGivesBack_again_isTheSameTicketAndTakesNothingElse() {
        String old = take(ME, 1);

        List<?> first = exchange(old, 2);
        String behind = take(OTHER, 1);
        List<?> again = exchange(old, 2);

        assertThat(first.get(3)).isEqualTo(1L);
        assertThat(again.get(3)).isEqualTo(0L);
        assertThat(again.get(0)).isEqualTo(first.get(0));
        assertThat(tickets(ME)).isEqualTo(List.of(first.get(0), behind));
    }

    private List<?> exchange(String old, int sequence) {
        return queue(Script.TAKE, ME, "r" + sequence, "" + sequence, "E:1", "new", "60000", old, number(old));
    }

    @Test
    void takeThatGivesBack_alone_leavesTheNewTicketOnly() {
        String old = take(ME, 1);

        String next = (String) exchange(old, 2).get(0);

        assertThat(tickets(ME)).isEqualTo(List.of(next));
        assertThat(server.call("HGETALL", partition.data("l")))
                .isEqualTo(List.of("r" + ME + ":r2", number(next) + ":new"));
        assertThat(Long.parseLong(number(next))).isGreaterThan(Long.parseLong(number(old)));
    }

    @Test
    void takeThatGivesBack_lateAfterItsTicketWasRemoved_takesNothing() {
        String old = take(ME, 1);
        remove(take(ME, 3));

        assertThat(exchange(old, 2).get(0)).isEqualTo("");
        assertThat(tickets(ME)).isEqualTo(List.of());
    }

    @Test
    void takeThatGivesBack_sessionHasEnded_takesNothing() {
        String old = take(ME, 1);
        server.call("ZADD", partition.sessions(), "1", ME);

        assertThat(exchange(old, 2)).isEmpty();
        assertThat(tickets(OTHER)).isEqualTo(List.of());
    }

    @Test
    void takeThatGivesBack_ticketIsWatched_isToldAndForgotten() {
        String old = take(ME, 1);
        queue(Script.WATCH, OTHER, "1", old);

        exchange(old, 2);

        assertThat(server.call("HEXISTS", partition.data("l"), "w" + old)).isEqualTo(0L);
    }

    @Test
    void takeThatGivesBack_ticketIsAnothers_itsOwnerIsTold() {
        String his = take(OTHER, 1);
        long before = server.calls("publish");

        String mine = (String) exchange(his, 1).get(0);

        assertThat(tickets(ME)).isEqualTo(List.of(mine));
        assertThat(server.calls("publish")).isEqualTo(before + 1);
    }

    @Test
    void takeThatGivesBack_keysAreToExpireSoon_keepsThem() {
        String old = take(ME, 1);
        server.call("PEXPIRE", partition.queue("l"), "29000");
        server.call("PEXPIRE", partition.data("l"), "29000");
        server.call("ZINCRBY", partition.names(), "-31000", "l");

        exchange(old, 2);

        assertThat((Long) server.call("PTTL", partition.queue("l"))).isGreaterThan(30_000);
        assertThat((Long) server.call("PTTL", partition.data("l"))).isGreaterThan(30_000);
    }

    @Test
    void take_behindOthersAndKeysAreToExpireSoon_keepsThemAndTheNotice() {
        String ahead = take(OTHER, 1);
        queue(Script.POST, OTHER, "0", "size", "p1", "60000");
        server.call("PEXPIRE", partition.queue("l"), "29000");
        server.call("PEXPIRE", partition.data("l"), "29000");
        server.call("ZINCRBY", partition.names(), "-31000", "l");

        String mine = take(ME, 1);

        assertThat((Long) server.call("PTTL", partition.queue("l"))).isGreaterThan(30_000);
        assertThat((Long) server.call("PTTL", partition.data("l"))).isGreaterThan(30_000);
        assertThat(tickets(ME)).isEqualTo(List.of(ahead, mine));
        assertThat(queue(Script.NOTICE, ME).get(0)).isEqualTo("size");
    }

    /** Of sessions that may last for days, keys are kept for longer than their owners and others take to come again. */
    @Test
    void keysAreKeptForLonger_byOneWhoKeepsThemForShorter_areKeptAsLongAsBefore() {
        List<String> sessionKeys = List.of(partition.sessions(), partition.names(), partition.sequences());
        queue(Script.TAKE, OTHER, "r1", "1", "E:1", "", "9000000");
        run(Script.RENEW, OTHER, sessionKeys, "60000", "9000000");

        queue(Script.HEED, ME, "60000", "1");
        queue(Script.TOUCH, ME, "60000");
        run(Script.RENEW, ME, sessionKeys, "60000", "60000");
        run(Script.OPEN, "aaaaaaaaaaaaa", sessionKeys, "60000", "60000");

        assertThat(List.of(partition.queue("l"), partition.data("l"), partition.names(), partition.sequences()))
                .allSatisfy(key -> assertThat((Long) server.call("PTTL", key)).isGreaterThan(8_000_000));
        assertThat(Double.parseDouble((String) server.call("ZSCORE", partition.names(), "l")))
                .isGreaterThan(System.currentTimeMillis() + 8_000_000);
    }

    @Test
    void take_againAfterOthersWithALaterNumber_isTheSameTicket() {
        String mine = take(ME, 1);
        take(ME, 2);

        assertThat(queue(Script.TAKE, ME, "r1", "3", "E:1", "", "60000").get(0)).isEqualTo(mine);
        assertThat(tickets(ME)).hasSize(2);
    }

    @Test
    void replace_again_isDone() {
        String old = take(ME, 1);
        String number = number(old);
        String milder = TicketIds.next(TicketIds.parse(old), Mode.SHARED, 1);

        assertThat(queue(Script.REPLACE, ME, old, milder, number)).isEqualTo(List.of(1L));
        assertThat(queue(Script.REPLACE, ME, old, milder, number)).isEqualTo(List.of(1L));
        assertThat(tickets(ME)).isEqualTo(List.of(milder));
    }

    @Test
    void post_again_isDoneOnce() {
        assertThat(queue(Script.POST, ME, "0", "text", "p1", "60000")).isEqualTo(List.of(1L));
        List<?> posted = queue(Script.NOTICE, ME);

        assertThat(queue(Script.POST, ME, "0", "text", "p1", "60000")).isEqualTo(List.of(1L));
        assertThat(queue(Script.NOTICE, ME)).isEqualTo(posted);
    }

    @Test
    void renew_lateAfterTheEnd_isRefused() {
        List<String> names = List.of(partition.sessions(), partition.names(), partition.sequences());
        run(Script.END, ME, names);

        assertThat(run(Script.RENEW, ME, names, "60000", "60000")).isEmpty();
        assertThat(queue(Script.TAKE, ME, "r1", "1", "E:1", "", "60000")).isEmpty();
    }

    @Test
    void clockIsSetBack_tokensStillGrow() {
        String first = take(ME, 1);
        server.call("HSET", partition.sequences(), "last", "8000000000000000"); // as if drawn in the year 2223
        remove(first);

        assertThat(take(ME, 2)).startsWith("8000000000000001:");
        assertThat(take(ME, 3)).startsWith("8000000000000002:");
    }

    @Test
    void take_clockWasSetBackAndTheLastNumberIsEvicted_isBehindAllThatAreThere() {
        server.call("HSET", partition.sequences(), "last", "8000000000000000"); // as if drawn in the year 2223
        String first = take(OTHER, 1);
        server.call("DEL", partition.sequences());
        String second = take(ME, 1);
        assertThat(tickets(ME)).isEqualTo(List.of(first, second));

        queue(Script.REMOVE, OTHER, first, number(first));
        server.call("DEL", partition.sequences());
        assertThat((String) exchange(second, 2).get(0)).startsWith("8000000000000003:");
    }

    @Test
    void versionsOfNoticesHaveRunOut_noneIsGivenTwice() {
        server.call("HSET", partition.data("l"), "v", "9007199254740991", "p", "p0", "t", "text");

        assertThatThrownBy(() -> queue(Script.POST, ME, "9007199254740991", "other", "p1", "60000"))
                .hasMessageContaining("NUMBERS");
        assertThat(queue(Script.NOTICE, ME)).isEqualTo(List.of("text", "9007199254740991"));
    }

    @Test
    void numbersHaveRunOut_noneIsGivenTwice() {
        server.call(
                "HSET", partition.sequences(), "last", "9007199254740990"); // beyond 2^53 not all are to be told apart
        String last = take(ME, 1);

        assertThat(last).startsWith("9007199254740991:");
        assertThatThrownBy(() -> take(ME, 2)).hasMessageContaining("NUMBERS");
        assertThatThrownBy(() -> exchange(last, 3)).hasMessageContaining("NUMBERS");
        assertThat(tickets(ME)).isEqualTo(List.of());
    }
}
