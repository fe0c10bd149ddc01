package io.wellkeeper.internal;

import io.wellkeeper.spi.Mode;
import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import io.wellkeeper.spi.TicketInfo;
import io.wellkeeper.spi.TicketQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * The tickets and the notice of a queue, as read by a client that need not have a ticket in it.
 *
 * @param holders the tickets that are in, smallest number first
 * @param waiters the tickets that are not in
 * @param notice the notice of the queue
 */
record Snapshot(List<TicketInfo> holders, List<TicketInfo> waiters, Notice notice) {

    static final String SIZE = "size";
    private static final String HELD = "held"; // numbers of the tickets that held permits when these became fewer

    /** Reads the queue with the metadata of its tickets. */
    static CompletionStage<Snapshot> inspect(TicketQueue queue) {
        return queue.inspect().thenCombine(queue.notice(), Snapshot::of);
    }

    /** Reads the queue without the metadata of its tickets. */
    static CompletionStage<Snapshot> list(TicketQueue queue) {
        return queue.tickets()
                .thenCombine(
                        queue.notice(),
                        (tickets, notice) -> of(
                                tickets.stream()
                                        .map(ticket -> new TicketInfo(ticket, "", Instant.EPOCH, OptionalLong.empty()))
                                        .toList(),
                                notice));
    }

    private static Snapshot of(List<TicketInfo> infos, Notice notice) {
        NoticeForm form = NoticeForm.parse(notice.text());
        OptionalInt size = form.number(SIZE);
        String held = form.get(HELD).orElse("");
        List<Ticket> ahead = new ArrayList<>();
        List<TicketInfo> holders = new ArrayList<>();
        List<TicketInfo> waiters = new ArrayList<>();
        for (TicketInfo info : infos) {
            Ticket ticket = info.ticket();
            boolean isIn = isIn(ticket, ahead, size) || TicketNumbers.contains(held, ticket.number());
            (isIn ? holders : waiters).add(info);
            ahead.add(ticket);
        }
        return new Snapshot(holders, waiters, notice);
    }

    private static boolean isIn(Ticket ticket, List<Ticket> ahead, OptionalInt size) {
        if (size.isPresent()) {
            return ticket.permits() <= size.getAsInt()
                    && AdmissionRule.permits(size.getAsInt())
                            .blockers(ticket, ahead)
                            .isEmpty();
        }
        Want want = ticket.mode() == Mode.SHARED ? Want.READ : Want.WRITE;
        return want.rule().blockers(ticket, ahead).isEmpty();
    }

    NoticeForm form() {
        return NoticeForm.parse(notice.text());
    }

    OptionalInt size() {
        return form().number(SIZE);
    }

    /** The notice for another number of permits. If the holders have more together, it says that they keep them. */
    NoticeForm resized(int permits) {
        NoticeForm form = form().with(SIZE, Integer.toString(permits));
        long inUse = holders.stream().mapToLong(info -> info.ticket().permits()).sum();
        return Revocation.makeRoom(inUse > permits ? form.with(HELD, holdersNumbers()) : form.without(HELD), 0);
    }

    /** Whether there are no tickets. */
    boolean isEmpty() {
        return holders.isEmpty() && waiters.isEmpty();
    }

    /** Whether a ticket with one of these numbers lives, or may have been taken since the queue was read. */
    boolean mayHaveAnyOf(String numbers) {
        List<Long> seen = Stream.concat(holders.stream(), waiters.stream())
                .map(info -> info.ticket().number())
                .toList();
        return seen.stream().anyMatch(number -> TicketNumbers.contains(numbers, number))
                || TicketNumbers.exceed(numbers, seen.stream().reduce(0L, Math::max));
    }

    /** The numbers of the holders. Holders are the first in the queue, and no ticket ever comes between them. */
    String holdersNumbers() {
        return TicketNumbers.range(
                holders.stream().map(info -> info.ticket().number()).toList());
    }
}
