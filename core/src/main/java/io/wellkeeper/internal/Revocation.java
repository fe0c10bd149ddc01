package io.wellkeeper.internal;

import io.wellkeeper.Registration;
import io.wellkeeper.RevocationListener;
import io.wellkeeper.spi.TicketQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A request to give something up, as it stands in the notice of a queue: the last one of each client that asks.
 *
 * @param id names this request
 * @param tickets those of the holders who are asked
 * @param who the client that asks
 * @param reason in its own words
 */
record Revocation(String id, List<String> tickets, String who, String reason) {

    private static final String PREFIX = "revoke.";

    static Revocation of(List<String> tickets, String who, String reason) {
        return new Revocation(UUID.randomUUID().toString(), tickets, who, reason);
    }

    /** Puts it into a notice, in place of the last one of this session, and takes out what concerns nobody any more. */
    NoticeForm pinTo(NoticeForm notice, String session, Predicate<String> isLiving) {
        NoticeForm result = notice;
        for (String key : notice.keys(PREFIX)) {
            Revocation old = parse(notice.get(key).orElse(""));
            if (old.tickets.stream().noneMatch(isLiving)) {
                result = result.without(key);
            }
        }
        NoticeForm mine = NoticeForm.EMPTY
                .with("id", id)
                .with("tickets", String.join(" ", tickets))
                .with("who", who)
                .with("reason", reason);
        return result.with(PREFIX + session, mine.format());
    }

    static List<Revocation> all(NoticeForm notice) {
        List<Revocation> all = new ArrayList<>();
        for (String key : notice.keys(PREFIX)) {
            all.add(parse(notice.get(key).orElse("")));
        }
        return all;
    }

    private static Revocation parse(String text) {
        NoticeForm form = NoticeForm.parse(text);
        return new Revocation(
                form.get("id").orElse(""),
                List.of(form.get("tickets").orElse("").split(" ")),
                form.get("who").orElse(""),
                form.get("reason").orElse(""));
    }

    /**
     * Tells a listener of every request that concerns a ticket.
     *
     * @param mine the ticket's id
     * @param past whether what has been asked before counts too
     * @param callBack runs the listener
     */
    static Registration listen(
            TicketQueue queue,
            Supplier<String> mine,
            RevocationListener listener,
            boolean past,
            Consumer<Runnable> callBack) {
        Set<String> known = ConcurrentHashMap.newKeySet();
        AtomicBoolean listening = new AtomicBoolean(true);
        Consumer<Boolean> read = tell -> Calls.stage(queue::notice).thenAccept(notice -> {
            for (Revocation request : all(NoticeForm.parse(notice.text()))) {
                if (request.tickets.contains(mine.get()) && known.add(request.id) && tell) {
                    callBack.accept(() -> {
                        if (listening.get()) {
                            listener.onRevocationRequested(request.who, request.reason);
                        }
                    });
                }
            }
        });
        Registration watch = queue.onNotice(() -> read.accept(true));
        read.accept(past);
        return () -> {
            listening.set(false);
            watch.close();
        };
    }
}
