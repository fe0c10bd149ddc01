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
 * A request of a session that has not been answered: the call of one script. It is sent again, by the same connection
 * or another, until the server's answer is known. The {@link Link}, whose lock guards the fields, decides when it is
 * sent and in what order.
 */
final class OpenRequest implements RequestLine.Request {

    private static final int COMMON_ARGUMENTS = 3; // of all scripts on queues: the session, its channels, the name

    final Script script;
    final List<String> keys;
    final CompletableFuture<List<Object>> result = new CompletableFuture<>();
    private final Supplier<List<String>> arguments;
    private final JoinedTake take = new JoinedTake();

    private @Nullable List<String> said; // the arguments; written under the lock, each time that it is sent
    // The ticket that was drawn too early, and its number: arguments that are added when it is sent again.
    private List<String> undone = List.of();
    private int by; // the number of the connection by which it was sent last and not refused; 0 if there is none
    private long sentAt;
    private boolean doubtful; // whether it may have been carried out without an answer
    private long doubtfulSince;

    long number; // the place among all requests called for; set before it is open, under the lock
    long least; // a ticket of a smaller number comes before the ticket of a request called for before this one

    OpenRequest(Script script, List<String> keys, Supplier<List<String>> arguments) {
        this.script = script;
        this.keys = keys;
        this.arguments = arguments;
    }

    @Override
    public Object lock() {
        return keys;
    }

    /** The end of the session counts as taking, so that the other requests pass it: it is called for last. */
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

    /** Whether it draws a ticket, itself or by the take that has joined it. */
    boolean draws() {
        return script == Script.TAKE || take.soFar().isPresent();
    }

    boolean showsQueue() {
        return script == Script.TICKETS || draws();
    }

    /** Whether a ticket that is asked for afterwards is to be drawn behind this request. */
    boolean precedesTake() {
        return script == Script.REMOVE || draws();
    }

    /** Whether other requests on the same queue are to be carried out behind this request. */
    boolean goesFirst() {
        return precedesTake() || showsQueue();
    }

    /** Whether it is carried out behind the requests that show the same queue and were called for before it. */
    boolean standsInLine() {
        return readsNotice() || draws();
    }

    boolean readsNotice() {
        return script == Script.NOTICE || script == Script.NOTICE_OF_TICKET;
    }

    /**
     * Whether a notice that is asked for afterwards may not be read before this request is carried out: because the
     * notice must not be older than the queue that this request shows, or because this request begins the watch of the
     * notice. After a lost connection the watch does not matter, as the watchers are told to look again. The lock is
     * held.
     */
    boolean precedesNotice() {
        return script == Script.HEED && !doubtful || showsQueue();
    }

    /** Whether it begins the session. If the server is not in charge then, the caller is told so and does not wait. */
    boolean begins() {
        return script == Script.OPEN;
    }

    /** Lets a take of the same queue join this removal, if it can; returns whether it has joined. The lock is held. */
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

    /** It is about to be sent, so its arguments are asked for now. The lock is held. */
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

    /** Whether it was sent by a connection, and was not refused there. The lock is held. */
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

    /**
     * The server refused it, so what was sent by the connection of this number was not carried out. The lock is held.
     */
    void refused(int connection) {
        if (by == connection) {
            by = 0;
        }
    }

    /** The call that is written to the connection; from now on no take can join it. */
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

    /**
     * The number of the ticket that was drawn; 0 if there is none, because the request draws none, the session has
     * ended, or the request came late.
     */
    long ticketNumber(List<Object> answer) {
        return draws() && !answer.isEmpty()
                ? TicketIds.read((String) answer.get(0)).map(Ticket::number).orElse(0L)
                : 0;
    }

    /** Has the ticket that it has drawn given back when it is carried out again. The lock is held. */
    void undo(List<Object> answer) {
        String ticket = (String) answer.get(0);
        undone = List.of(ticket, Long.toString(TicketIds.parse(ticket).number()));
    }

    /**
     * Completes the removal when the take that joined it has been carried out, even if the take is to be carried out
     * again.
     */
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
