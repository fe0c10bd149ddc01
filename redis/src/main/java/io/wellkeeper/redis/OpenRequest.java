package io.wellkeeper.redis;

import io.wellkeeper.LockStoreException;
import io.wellkeeper.spi.RequestLine;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request of a session that has not been answered: one script, which is sent again, by the same connection or another, until the
 * server's answer is known. The {@link Link}, whose lock guards the fields, decides when it is sent and in what order.
 */
final class OpenRequest implements RequestLine.Request {

    private static final int COMMON_ARGUMENTS = 3; // of all scripts on queues: who asks, the channels, the name

    final Script script;
    final List<String> keys;
    final CompletableFuture<List<Object>> result = new CompletableFuture<>();
    private final Supplier<List<String>> arguments;
    private final JoinedTake take = new JoinedTake();

    private @Nullable List<String> said; // written under the lock, each time that it is sent
    private List<String> undone =
            List.of(); // the ticket that was drawn too early, and its number; written as what is said
    private int by; // the number of the connection by which it was sent last and not refused; 0 if there is none
    private long sentAt;
    private boolean doubtful; // whether it may have been carried out without an answer
    private long doubtfulSince;

    long number; // the place among all that were called for; set before it is open, under the lock
    long least; // a ticket of a smaller number is older than that of a call before this one

    OpenRequest(Script script, List<String> keys, Supplier<List<String>> arguments) {
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    @Override
    public Object lock() {
        return keys;
    }

    /** The end of the session, which is called for last, lets everything pass. */
    @Override
    public boolean isTaking() {
        return script == Script.TAKE || script == Script.NOTICE_OF_TICKET || script == Script.END;
    }

    @Override
    public boolean isSlow() {
        return false;
    }

    @Override
    public long number() {
        return number;
    }

    /** A heartbeat does not wait for its turn. */
    boolean overtakes() {
        return script == Script.RENEW;
    }

    /** Whether its call draws a ticket. */
    boolean draws() {
        return script == Script.TAKE || take.soFar().isPresent();
    }

    boolean showsQueue() {
        return script == Script.TICKETS || draws();
    }

    /** Whether a number that is asked for afterwards is to be drawn behind it. */
    boolean precedesTake() {
        return script == Script.REMOVE || draws();
    }

    /** Whether others of the same queue are to be carried out behind it. */
    boolean goesFirst() {
        return precedesTake() || showsQueue();
    }

    /** Whether it is carried out behind those that show its queue and were called for before. */
    boolean standsInLine() {
        return readsNotice() || draws();
    }

    boolean readsNotice() {
        return script == Script.NOTICE || script == Script.NOTICE_OF_TICKET;
    }

    /**
     * Whether a notice that is asked for afterwards is to be no older than what is seen by this; or watched, unless the
     * connection was lost meanwhile: then whoever watches is told to look again. The lock is held.
     */
    boolean precedesNotice() {
        return script == Script.HEED && !doubtful || showsQueue();
    }

    /** Until a session has begun, nobody waits here for a server that is not in charge: whoever wants it is told so. */
    boolean begins() {
        return script == Script.OPEN;
    }

    /** Whether the call of this removal carries out another request too, a take of the same queue. The lock is held. */
    boolean joins(OpenRequest other) {
        if (script != Script.REMOVE || other.script != Script.TAKE || !keys.equals(other.keys)) {
            return false;
        }
        other.speak();
        return take.join(other);
    }

    private void speak() {
        said = arguments.get();
    }

    /** It is about to be sent: from now on it says what it says now. The lock is held. */
    void sent(int connection) {
        speak();
        take.soFar().ifPresent(OpenRequest::speak);
        long now = System.nanoTime();
        if (by != 0 && !doubtful) {
            doubtful = true;
            doubtfulSince = now;
        }
        sentAt = now;
        by = connection;
    }

    /** Whether a connection has been given it, and has not refused it. The lock is held. */
    boolean isSent() {
        return by != 0;
    }

    /** The lock is held. */
    long sentAt() {
        return sentAt;
    }

    /** Whether it may have been carried out without an answer. The lock is held. */
    boolean isDoubtful() {
        return doubtful;
    }

    /** The lock is held. */
    long doubtfulSince() {
        return doubtfulSince;
    }

    /** What was sent by the connection of this number was not carried out. The lock is held. */
    void refused(int connection) {
        if (by == connection) {
            by = 0;
        }
    }

    /** What is written to the connection; no take can join it any more. */
    Wire.Call call() {
        Optional<OpenRequest> with = take.forGood();
        OpenRequest whose = with.orElse(this);
        List<String> words = Objects.requireNonNull(said);
        List<String> all = new ArrayList<>(Objects.requireNonNull(whose.said));
        if (!undone.isEmpty()) {
            all.addAll(undone);
        } else if (with.isPresent()) {
            all.addAll(words.subList(COMMON_ARGUMENTS, words.size()));
        }
        return new Wire.Call(whose.script, keys, all);
    }

    /** Of the ticket that was drawn; 0 if there is none, as nobody has asked for it, the session has ended, or it came late. */
    long ticketNumber(List<Object> answer) {
        return draws() && !answer.isEmpty()
                ? TicketIds.read((String) answer.get(0)).map(Ticket::number).orElse(0L)
                : 0;
    }

    /** When it is carried out again, the ticket that it has drawn is given back first. The lock is held. */
    void undo(List<Object> answer) {
        String ticket = (String) answer.get(0);
        undone = List.of(ticket, Long.toString(TicketIds.parse(ticket).number()));
    }

    /** What is known of a removal once the take that joined it has been carried out, even if that is to be done again. */
    void completeRemoval(List<Object> answer) {
        if (take.forGood().isPresent()) {
            result.complete(answer.isEmpty() ? List.of(0L) : answer.subList(answer.size() - 1, answer.size()));
        }
    }

    void complete(List<Object> answer) {
        completeRemoval(answer);
        take.forGood().orElse(this).result.complete(answer);
    }

    void fail(LockStoreException failure) {
        result.completeExceptionally(failure);
        take.forGood().ifPresent(with -> with.result.completeExceptionally(failure));
    }
}
