package io.wellkeeper.redis;

import io.wellkeeper.spi.StoreRefusalException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * The votes of all nodes on one question, as far as they are known.
 *
 * @param nodes how many nodes there are
 * @param yes how many said yes
 * @param no how many said no
 * @param others for each other owner how many nodes he has
 * @param problems why the rest said nothing
 * @param refused how many of those refuse for a reason that no waiting removes
 */
record RedlockTally(int nodes, int yes, int no, Map<String, Integer> others, List<String> problems, int refused) {

    /**
     * What one node says.
     *
     * @param yes whether it says yes
     * @param holder who has the lock there, if it is somebody else; empty if nobody has
     * @param problem why it says nothing; empty if it does
     * @param refused whether no waiting removes that
     */
    record Vote(boolean yes, String holder, String problem, boolean refused) {

        Vote(boolean yes, String holder) {
            this(yes, holder, "", false);
        }

        /** The lock is free there. */
        boolean isNobodys() {
            return problem.isEmpty() && !yes && holder.isEmpty();
        }

        static Vote none(String problem) {
            return new Vote(false, "", problem, false);
        }

        static Vote none(Throwable failure) {
            return new Vote(false, "", String.valueOf(failure.getMessage()), failure instanceof StoreRefusalException);
        }
    }

    /**
     * Counts votes.
     *
     * @param votes of each node; none fails
     * @param decided whether the rest does not matter
     * @return when it is decided, or all have voted
     */
    static CompletableFuture<RedlockTally> of(List<CompletableFuture<Vote>> votes, Predicate<RedlockTally> decided) {
        CompletableFuture<RedlockTally> result = new CompletableFuture<>();
        AtomicReference<RedlockTally> counted =
                new AtomicReference<>(new RedlockTally(votes.size(), 0, 0, Map.of(), List.of(), 0));
        votes.forEach(vote -> vote.thenAccept(said -> {
            RedlockTally now = counted.updateAndGet(before -> before.and(said));
            if (now.open() == 0 || decided.test(now)) {
                result.complete(now);
            }
        }));
        return result;
    }

    private RedlockTally and(Vote vote) {
        if (!vote.problem().isEmpty()) {
            List<String> more = new ArrayList<>(problems);
            more.add(vote.problem());
            return new RedlockTally(nodes, yes, no, others, more, refused + (vote.refused() ? 1 : 0));
        }
        if (vote.yes()) {
            return new RedlockTally(nodes, yes + 1, no, others, problems, refused);
        }
        Map<String, Integer> more = new HashMap<>(others);
        if (!vote.holder().isEmpty()) {
            more.merge(vote.holder(), 1, Integer::sum);
        }
        return new RedlockTally(nodes, yes, no + 1, more, problems, refused);
    }

    private int open() {
        return nodes - yes - no - problems.size();
    }

    int quorum() {
        return nodes / 2 + 1;
    }

    boolean isGranted() {
        return yes >= quorum();
    }

    /** Whether so many refuse that there will be no majority, however long one waits. */
    boolean isForbidden() {
        return refused > nodes - quorum();
    }

    /** Whether a majority said something. */
    boolean isAnswered() {
        return yes + no >= quorum();
    }

    /** Whether there can be no majority of yes, whatever the rest would say. */
    boolean isRefused() {
        return no > nodes - quorum();
    }

    /** Whether one other has a majority. */
    boolean isTaken() {
        return others.values().stream().anyMatch(count -> count >= quorum());
    }

    /** Whether the rest cannot change that it is not granted, and enough is known to say why. */
    boolean isHopeless() {
        return isTaken() || (isAnswered() && yes + open() < quorum());
    }
}
