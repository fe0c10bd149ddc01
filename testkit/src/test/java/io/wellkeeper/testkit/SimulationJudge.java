package io.wellkeeper.testkit;

import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Looks at clients and server at once, as nobody could in earnest, and remembers the first thing that is wrong. */
final class SimulationJudge {

    private static final String OVERTAKEN = "the store has let in the next one";
    private static final Pattern REMOVED = Pattern.compile("has removed its ticket|has broken the lock");

    private final InMemoryServer server;
    private final SimulatedPrimitive primitive;
    private final boolean retained;
    private final List<SimulatedUse> uses = new ArrayList<>();
    private final Map<String, Long> lastToken = new HashMap<>();
    private final SimulatedRemovals removals;
    private boolean over;
    private @Nullable String wrong;

    /** @param retained whether clients may keep tickets that they do not use */
    SimulationJudge(InMemoryServer server, SimulatedPrimitive primitive, boolean retained) {
        this.server = server;
        this.primitive = primitive;
        this.retained = retained;
        this.removals = new SimulatedRemovals(server, this::fail);
    }

    /** What is taken away from its owners. */
    SimulatedRemovals removals() {
        return removals;
    }

    /** What is in use, and not closed. */
    List<SimulatedUse> uses() {
        return uses;
    }

    /** Remembered, because a future swallows what its dependents throw. */
    void fail(String what) {
        if (wrong == null) {
            wrong = what;
        }
    }

    void throwIfWrong() {
        if (wrong == null && !server.violations().isEmpty()) {
            wrong = server.violations().toString();
        }
        if (wrong != null) {
            throw new AssertionError(wrong);
        }
    }

    /** The largest token of each name that somebody has seen. */
    Map<String, Long> tokens() {
        return Map.copyOf(lastToken);
    }

    /**
     * A client has learned that it is in.
     *
     * @param asked whether it is asked for its tokens now; to be asked makes it look whether it has lost something
     */
    void enter(SimulatedUse use, boolean asked) {
        uses.add(use);
        if (asked) {
            begin(use);
        }
        judgeBound();
    }

    /** It is asked for its tokens, if that has not been done. */
    void begin(SimulatedUse use) {
        if (use.begin()) {
            for (String name : use.want().names()) {
                removals.judgeEntry(use, name);
                if (!removals.concern(use, name)) {
                    judgeToken(use, name);
                    judgeOrder(use, name);
                }
            }
        }
    }

    /** All has been quiet: whoever has lost something has been told, though nobody has asked. */
    void judgeLosses() {
        for (SimulatedUse use : uses) {
            if (!use.isBusy() && !use.isToldLost() && !use.isHeld()) {
                fail("lost, and never told: " + use.want());
            }
            begin(use);
        }
    }

    /**
     * A client has been told that it has lost something.
     *
     * @param reason what it was told
     */
    void judgeLoss(SimulatedProcess process, String name, String reason) {
        boolean removed = REMOVED.matcher(reason).find();
        if (removed && !removals.concern(process, name) && !process.hasLostSession()) {
            fail("told of a removal that nobody has made: '" + name + "', " + reason);
        }
        if (reason.equals(OVERTAKEN)
                && !removals.isBreaking(process, name) // or its own ticket may be there, and lost by right
                && uses.stream().anyMatch(use -> use.process() == process && isOvertaken(use, name))) {
            fail("told that the next one is in, while its ticket is there: '" + name + "'");
        }
        if (over) {
            fail("closed, and found at the end: '" + name + "', " + reason);
        }
    }

    /** It is closed by nobody, and its ticket lives; but its owner is told that the next one is in. */
    private boolean isOvertaken(SimulatedUse use, String name) {
        return server.tickets().slips(name).stream().anyMatch(use::isBy)
                && use.reasonOfLoss(name).contains(OVERTAKEN);
    }

    /** A heartbeat has passed since tickets were removed by which these were in. */
    void judgeRemovals(List<SimulatedUse> before) {
        for (SimulatedUse use : uses) {
            if (before.contains(use)
                    && use.want().names().stream().anyMatch(name -> removals.concern(use, name))
                    && use.isHeld()) {
                fail("held for ever by a ticket that was removed: " + use.want());
            }
        }
    }

    private void judgeToken(SimulatedUse use, String name) {
        long last = lastToken.getOrDefault(name, -1L);
        long token = use.token(name);
        boolean sound = primitive.tokenMayFollow(use.want(), last, use.tokenWhenAsked(name), token);
        if (!sound) {
            fail("token " + token + " of '" + name + "' after " + last + " for " + use.want());
        }
        if (primitive.isTokenRemembered(use.want())) {
            lastToken.merge(name, token, Math::max);
        }
    }

    /** The holder of the first of these names has seen these tokens besides, of what is milder. */
    void show(SimulatedUse use, List<Long> tokens) {
        String name = use.want().names().get(0);
        if (!removals.concern(use, name)) {
            tokens.forEach(token -> lastToken.merge(name, token, Math::max));
        }
    }

    /** Tickets of its own that a client has given back may still be there: nobody else can get in between. */
    private void judgeOrder(SimulatedUse use, String name) {
        List<Ticket> ahead = new ArrayList<>();
        for (Slip slip : server.tickets().slips(name)) {
            if (use.isBy(slip)) {
                if (!primitive.admits(name, slip.ticket(), ahead)) {
                    fail(slip.ticket() + " has overtaken one of " + ahead);
                }
                return;
            }
            if (!use.process().hasTaken(slip)) {
                ahead.add(slip.ticket());
            }
        }
    }

    /** Whether more believe to be in than may be. Only who is in doubt is asked: asking a client makes it look. */
    void judgeBound() {
        if (uses.size() > 1) {
            uses.stream().flatMap(use -> use.want().names().stream()).distinct().forEach(this::judgeBound);
        }
    }

    private void judgeBound(String name) {
        List<SimulatedPrimitive.Want> inside = inside(name, false);
        if (!primitive.tolerates(name, inside)) {
            inside = inside(name, true);
            if (!primitive.tolerates(name, inside)) {
                fail(inside + " are inside '" + name + "' at once");
            }
        }
    }

    private List<SimulatedPrimitive.Want> inside(String name, boolean forCertain) {
        return uses.stream()
                .filter(use -> use.concerns(name) && (!forCertain || isInside(use, name)))
                .map(SimulatedUse::want)
                .toList();
    }

    /** Whether it believes to be in, and nobody has taken its ticket away. */
    private boolean isInside(SimulatedUse use, String name) {
        begin(use);
        return use.isHeld() && !removals.concern(use, name);
    }

    /** All has been closed: there is nothing that anybody could lose. */
    void allIsClosed() {
        over = true;
    }

    /** All has been closed: nobody has a ticket any more, except those that are kept. */
    void judgeTickets(List<String> names) {
        for (String name : names) {
            if (!retained && !server.tickets().slips(name).isEmpty()) {
                fail("closed, and still there: " + server.tickets().living(name));
            }
        }
    }

    /** Those who could be in and are not. A heartbeat may just have set something in motion: then they soon will be. */
    List<Ticket> sleepers(List<String> names, List<SimulatedProcess> processes) {
        List<Ticket> sleepers = new ArrayList<>();
        for (String name : names) {
            List<Slip> slips = server.tickets().slips(name);
            List<Ticket> ahead = new ArrayList<>();
            for (int i = 0; i < slips.size(); i++) {
                Slip slip = slips.get(i);
                if (processes.stream().anyMatch(process -> process.owns(slip))
                        && primitive.mustBeIn(name, slip.ticket(), ahead)
                        && uses.stream().noneMatch(use -> use.mayBeBy(slip) && isUsed(use))
                        && !(retained && isLastOfOthers(slips, i))
                        && !removals.mayDelay(slip)) {
                    sleepers.add(slip.ticket());
                }
                ahead.add(slip.ticket());
            }
        }
        return sleepers;
    }

    /** Of several locks those that were not lost are kept until it is closed. */
    private static boolean isUsed(SimulatedUse use) {
        return use.want().names().size() > 1 || use.isHeld();
    }

    /** Nobody holds the lock, and all is quiet: whoever was signalled is gone. */
    void judgeSignals() {
        for (String name : server.tickets().names(LockNames.RESERVED)) {
            String text = server.tickets().notice(name).text();
            if (text.matches("(.*&)?size=[1-9].*")
                    && !server.tickets().slips(name).isEmpty()) {
                fail("signalled, and asleep: "
                        + server.tickets().slips(name).stream()
                                .map(Slip::ticket)
                                .toList() + " with " + text);
            }
        }
    }

    private static boolean isLastOfOthers(List<Slip> slips, int index) {
        Member owner = slips.get(index).owner();
        return slips.subList(index, slips.size()).stream().allMatch(slip -> slip.owner() == owner);
    }
}
