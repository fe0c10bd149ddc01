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
 * Who has passed a barrier, as it stands in the notice of its queue. A generation is the first of those who wait, in the
 * order of their numbers: so every living ticket up to the last number of the newest generation has passed. Whoever has
 * lost his ticket needs to know more, namely whether it was still there when its generation passed. That is said of the
 * newest generations, as far as there is room.
 *
 * <p>Whoever has lost his ticket and has not passed comes again with another one. Somebody may have seen the lost one, and not
 * have put up yet who passes; so the notice says first that it is void: then either the lost ticket is counted or the next one,
 * because what is put up was decided by the notice that it replaces.
 *
 * @param form all that the notice says
 * @param life of this notice: the store may forget it when nobody is left, and then knows nobody who has passed before; empty
 *     if there is none
 * @param all the generations that somebody may still ask for, oldest first
 */
record Generations(NoticeForm form, String life, List<Generation> all) {

    private static final String LIFE = "life";
    private static final String PASSED = "passed";
    private static final String VOID = "void.";
    private static final int KEPT = 8; // and all in which somebody lives
    private static final int VOID_KEPT = 64; // of more, nobody has seen the oldest so lately

    /**
     * Those who pass together.
     *
     * @param first behind the last of the generation before
     * @param last the largest of their numbers
     * @param members all of them, as {@link TicketNumbers}; empty if there was no room
     */
    record Generation(long first, long last, String members) {

        static Generation of(List<Ticket> parties, long first) {
            List<Long> numbers = parties.stream().map(Ticket::number).toList();
            return new Generation(first, numbers.get(numbers.size() - 1), TicketNumbers.exactly(numbers));
        }

        /** Left out is what makes no sense. */
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

    /** Begins a life. */
    Generations begun() {
        String fresh = UUID.randomUUID().toString().substring(0, 13);
        return new Generations(form.with(LIFE, fresh), fresh, all);
    }

    /** The living up to this number have passed. */
    long passed() {
        return all.isEmpty() ? Long.MIN_VALUE : all.get(all.size() - 1).last();
    }

    /** Those who have not passed. */
    List<Ticket> waiting(List<Ticket> tickets) {
        Set<String> voided = voided();
        return tickets.stream()
                .filter(ticket -> ticket.number() > passed())
                .filter(ticket -> !voided.contains(sessionOf(ticket)) && !voided.contains(only(ticket)))
                .toList();
    }

    /** All tickets of a session that has ended. */
    static String sessionOf(Ticket ticket) {
        return "session " + ticket.session();
    }

    /** This ticket, whose session lives. */
    static String only(Ticket ticket) {
        return "ticket " + ticket.id();
    }

    /** What counts no more: {@link #sessionOf} some tickets, and {@link #only} others. */
    private Set<String> voided() {
        return form.keys(VOID).stream().map(key -> form.get(key).orElse("")).collect(Collectors.toSet());
    }

    /** Of these, what the notice does not say yet is void from now on; the same if there is nothing of it. */
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

    /** The generation in whose time this number was drawn; empty if it is not known any more, or has not passed. */
    Optional<Generation> of(long number) {
        return all.stream().filter(generation -> generation.reaches(number)).findFirst();
    }

    /** These pass too, one generation after the other. Of more than there is room for, the members of the oldest go first. */
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
