package io.wellkeeper.internal;

import io.wellkeeper.spi.Notice;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The tickets that have passed a barrier, as the notice of its queue tells them. A generation consists of the first
 * waiting tickets in the order of their numbers. So every living ticket up to the last number of the newest generation
 * has passed. A waiter that has lost its ticket needs to know more: whether its ticket was still there when its
 * generation passed. The notice says so for the newest generations, as far as there is room.
 *
 * <p>A waiter that has lost its ticket and has not passed comes again with another one. Another client may have seen
 * the lost ticket, and may be about to post who passes. So the waiter first has the notice say that the lost ticket is
 * void. Then either the lost ticket is counted or the next one, but not both, because a new notice is decided by the
 * notice that it replaces.
 *
 * @param form all that the notice says
 * @param life the name of the life of this notice; empty if none has begun. When no ticket is left, the store may
 *     forget the notice, and the next life does not know which tickets passed before
 * @param all the generations that somebody may still ask for, oldest first
 */
record Generations(NoticeForm form, String life, List<Generation> all) {

    private static final String LIFE = "life";
    private static final String PASSED = "passed";
    private static final String VOID = "void.";
    private static final int KEPT = 8; // so many of the newest generations, and all that have a living ticket
    private static final int VOID_KEPT = 64; // void names; if there are more, nobody has seen the oldest of them lately

    /**
     * The tickets that pass together.
     *
     * @param first the number after the last one of the generation before
     * @param last the largest of their numbers
     * @param members all their numbers, as {@link TicketNumbers}; empty if there was no room
     */
    record Generation(long first, long last, String members) {

        static Generation of(List<Ticket> parties, long first) {
            List<Long> numbers = parties.stream().map(Ticket::number).toList();
            return new Generation(first, numbers.get(numbers.size() - 1), TicketNumbers.exactly(numbers));
        }

        /** Empty for a text that makes no sense. */
        static Optional<Generation> parse(String text) {
            String[] parts = text.split(" ", 3);
            try {
                return parts.length < 2
                        ? Optional.empty()
                        : Optional.of(new Generation(
                                Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts.length < 3 ? "" : parts[2]));
            } catch (NumberFormatException foreign) {
                return Optional.empty();
            }
        }

        String format() {
            return first + " " + last + (members.isEmpty() ? "" : " " + members);
        }

        boolean reaches(long number) {
            return number >= first && number <= last;
        }

        Generation withoutMembers() {
            return new Generation(first, last, "");
        }
    }

    static Generations of(Notice notice) {
        NoticeForm form = NoticeForm.parse(notice.text());
        List<Generation> all = new ArrayList<>();
        for (String text : form.get(PASSED).orElse("").split(";")) {
            Generation.parse(text).ifPresent(all::add);
        }
        return new Generations(form, form.get(LIFE).orElse(""), all);
    }

    /** Begins a new life of the notice. */
    Generations begun() {
        String fresh = UUID.randomUUID().toString().substring(0, 13);
        return new Generations(form.with(LIFE, fresh), fresh, all);
    }

    /** The living tickets up to this number have passed. */
    long passed() {
        return all.isEmpty() ? Long.MIN_VALUE : all.get(all.size() - 1).last();
    }

    /** Those of these tickets that have not passed and are not void. */
    List<Ticket> waiting(List<Ticket> tickets) {
        Set<String> voided = voided();
        return tickets.stream()
                .filter(ticket -> ticket.number() > passed())
                .filter(ticket -> !voided.contains(sessionOf(ticket)) && !voided.contains(only(ticket)))
                .toList();
    }

    /** The void name of all tickets of this ticket's session, which has ended. */
    static String sessionOf(Ticket ticket) {
        return "session " + ticket.session();
    }

    /** The void name of this ticket alone, whose session lives. */
    static String only(Ticket ticket) {
        return "ticket " + ticket.id();
    }

    /** The names of void tickets: {@link #sessionOf} for some of them, and {@link #only} for others. */
    private Set<String> voided() {
        return form.keys(VOID).stream().map(key -> form.get(key).orElse("")).collect(Collectors.toSet());
    }

    /** Adds these void names, as far as the notice does not say them yet; the same object if it says all of them. */
    Generations withVoid(Collection<String> lost) {
        Set<String> news = new TreeSet<>(lost);
        news.removeAll(voided());
        NoticeForm more = form;
        for (String one : news) {
            more = more.with(more.keyBehind(VOID), one);
        }
        return news.isEmpty()
                ? this
                : new Generations(more.withLastOf(VOID, VOID_KEPT, news.size()), life, all).fitting(all);
    }

    /** The generation whose range has this number; empty if it is not known any more, or has not passed. */
    Optional<Generation> of(long number) {
        return all.stream().filter(generation -> generation.reaches(number)).findFirst();
    }

    /**
     * Adds these generations, one after the other. If there is not enough room, the members of the oldest generations
     * are dropped first.
     */
    Generations with(List<List<Ticket>> passing, List<Ticket> living) {
        List<Generation> kept = new ArrayList<>(all);
        kept.subList(0, Math.max(0, kept.size() - KEPT))
                .removeIf(generation -> living.stream().noneMatch(ticket -> generation.reaches(ticket.number())));
        long first = passed() + 1;
        for (List<Ticket> parties : passing) {
            Generation generation = Generation.of(parties, first);
            kept.add(generation);
            first = generation.last() + 1;
        }
        return fitting(kept);
    }

    private Generations fitting(List<Generation> generations) {
        List<Generation> kept = new ArrayList<>(generations);
        Generations result = formatted(kept);
        for (int i = 0; i < kept.size() && !result.form.fits(); i++) {
            kept.set(i, kept.get(i).withoutMembers());
            result = formatted(kept);
        }
        while (kept.size() > 1 && !result.form.fits()) {
            kept.remove(0);
            result = formatted(kept);
        }
        return result;
    }

    private Generations formatted(List<Generation> generations) {
        String text = generations.stream().map(Generation::format).collect(Collectors.joining(";"));
        return new Generations(form.with(PASSED, text), life, List.copyOf(generations));
    }
}
