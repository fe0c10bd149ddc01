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
 * A queue as an onlooker sees it.
 *
 * @param holders those who are in, smallest number first
 * @param waiters those who are not
 * @param notice what is pinned up beside it
 */
record Snapshot(List<TicketInfo> holders, List<TicketInfo> waiters, Notice notice) {

    static final String SIZE = "size";
    private static final String HELD = "held"; // numbers of those who had permits when there came to be fewer

    /** With what the owners wrote on their tickets. */
    static CompletionStage<Snapshot> inspect(TicketQueue queue) {
        return queue.inspect().thenCombine(queue.notice(), Snapshot::of);
    }

    /** The bare tickets. */
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

    /** The notice by which there are so many permits; those who have more of them than that hold them all the same. */
    NoticeForm resized(int permits) {
        NoticeForm form = form().with(SIZE, Integer.toString(permits));
        long inUse = holders.stream().mapToLong(info -> info.ticket().permits()).sum();
        return Revocation.makeRoom(inUse > permits ? form.with(HELD, holdersNumbers()) : form.without(HELD), 0);
    }

    /** Nobody uses it. */
    boolean isEmpty() {
        return holders.isEmpty() && waiters.isEmpty();
    }

    /** Whether somebody with one of these numbers lives, or has come since the queue was seen. */
    boolean mayHaveAnyOf(String numbers) {
        List<Long> seen = Stream.concat(holders.stream(), waiters.stream())
                .map(info -> info.ticket().number())
                .toList();
        return seen.stream().anyMatch(number -> TicketNumbers.contains(numbers, number))
                || TicketNumbers.exceed(numbers, seen.stream().reduce(0L, Math::max));
    }

    /** Those of the holders, who are the first in the queue; nobody ever comes among them. */
    String holdersNumbers() {
        return TicketNumbers.range(
                holders.stream().map(info -> info.ticket().number()).toList());
    }
}
