package io.wellkeeper.testkit;

import io.wellkeeper.spi.LockNames;
import io.wellkeeper.spi.Ticket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Looks at clients and server at the same moment, which only a simulation can, and remembers the first failure. */
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

    /** @param retained whether clients may keep unused tickets */
    SimulationJudge(InMemoryServer server, SimulatedPrimitive primitive, boolean retained) {
        this.server = server;
        this.primitive = primitive;
        this.retained = retained;
        this.removals = new SimulatedRemovals(server, this::fail);
    }

    /** The tickets that were taken away from their owners. */
    SimulatedRemovals removals() {
        return removals;
    }

    /** Everything that was acquired and not closed. */
    List<SimulatedUse> uses() {
        return uses;
    }

    /** Remembers a failure. It is not thrown, because a future swallows exceptions of its dependents. */
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

    /** The largest token of each name that any client has seen. */
    Map<String, Long> tokens() {
        return Map.copyOf(lastToken);
    }

    /**
     * To be called when a client has learned that it was granted something.
     *
     * @param asked whether to ask the client for its tokens now; the question makes it look whether it has lost
     *     something
     */
    void enter(SimulatedUse use, boolean asked) {
        uses.add(use);
        if (asked) {
            begin(use);
        }
        judgeBound();
    }

    /** Asks the client for the tokens of a use, if that has not been done, and judges them. */
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

    /** To be called after a quiet time: each client that has lost something must have been told, without asking. */
    void judgeLosses() {
        for (SimulatedUse use : uses) {
            if (!use.isBusy() && !use.isToldLost() && !use.isHeld()) {
                fail("lost, and never told: " + use.want());
            }
            begin(use);
        }
    }

    /**
     * To be called when a client has been told that it has lost something.
     *
     * @param reason the reason that the client was told
     */
    void judgeLoss(SimulatedProcess process, String name, String reason) {
        boolean removed = REMOVED.matcher(reason).find();
        if (removed && !removals.concern(process, name) && !process.hasLostSession()) {
            fail("told of a removal that nobody has made: '" + name + "', " + reason);
        }
        if (reason.equals(OVERTAKEN)
                && !removals.isBreaking(process, name) // else the use may be lost by right, though its ticket is there
                && uses.stream().anyMatch(use -> use.process() == process && isOvertaken(use, name))) {
            fail("told that the next one is in, while its ticket is there: '" + name + "'");
        }
        if (over) {
            fail("closed, and found at the end: '" + name + "', " + reason);
        }
    }

    /**
     * Whether the owner was told that the next ticket was let in, though its use is not closed and its ticket lives.
     */
    private boolean isOvertaken(SimulatedUse use, String name) {
        return server.tickets().slips(name).stream().anyMatch(use::isBy)
                && use.reasonOfLoss(name).contains(OVERTAKEN);
    }

    /**
     * To be called when a heartbeat has passed since tickets were removed: none of these uses may be held by such a
     * ticket.
     */
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

    /** Remembers tokens of milder locks that the holder has acquired beside its use. */
    void show(SimulatedUse use, List<Long> tokens) {
        String name = use.want().names().get(0);
        if (!removals.concern(use, name)) {
            tokens.forEach(token -> lastToken.merge(name, token, Math::max));
        }
    }

    /**
     * Checks the order. A client's own tickets ahead do not count: they may be given back, and no other can get in
     * between.
     */
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

    /**
     * Fails if more clients believe that they hold a lock than may hold it. A client is asked only in case of doubt,
     * because the question makes it look whether it has lost something.
     */
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

    /** Whether the owner believes that it holds the use, and its ticket was not taken away. */
    private boolean isInside(SimulatedUse use, String name) {
        begin(use);
        return use.isHeld() && !removals.concern(use, name);
    }

    /** To be called when everything has been closed: from now on no client can lose anything. */
    void allIsClosed() {
        over = true;
    }

    /** To be called when everything has been closed: only tickets that clients retain may be left. */
    void judgeTickets(List<String> names) {
        for (String name : names) {
            if (!retained && !server.tickets().slips(name).isEmpty()) {
                fail("closed, and still there: " + server.tickets().living(name));
            }
        }
    }

    /**
     * The tickets that could be in and are not. If a heartbeat has just set something in motion, they may get in soon.
     */
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

    /** If one of several locks is lost, the tickets of the others are kept until the multi-lock is closed. */
    private static boolean isUsed(SimulatedUse use) {
        return use.want().names().size() > 1 || use.isHeld();
    }

    /** To be called when nobody holds the lock and all is quiet: then no signalled waiter may be left. */
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
