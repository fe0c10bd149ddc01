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
 * @param others by each other owner, at how many nodes that owner has the lock
 * @param problems for each node that said neither, why not
 * @param refused how many of these nodes refuse for a reason that no waiting removes
 */
record RedlockTally(int nodes, int yes, int no, Map<String, Integer> others, List<String> problems, int refused) {

    /**
     * The vote of one node.
     *
     * @param yes whether the node says yes
     * @param holder the owner that has the lock there, if it is another one; empty if none has
     * @param problem why the node says neither yes nor no; empty if it says one
     * @param refused whether no waiting removes that problem
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
     * @param decided whether the votes still to come do not matter
     * @return completes when the question is decided, or all nodes have voted
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

    /** Whether so many nodes refuse that there will be no majority, however long one waits. */
    boolean isForbidden() {
        return refused > nodes - quorum();
    }

    /** Whether a majority said yes or no. */
    boolean isAnswered() {
        return yes + no >= quorum();
    }

    /** Whether so many nodes say no that there can be no majority of yes. */
    boolean isRefused() {
        return no > nodes - quorum();
    }

    /** Whether one other owner has a majority. */
    boolean isTaken() {
        return others.values().stream().anyMatch(count -> count >= quorum());
    }

    /** Whether the votes still to come cannot grant the lock, and enough is known to say why. */
    boolean isHopeless() {
        return isTaken() || (isAnswered() && yes + open() < quorum());
    }
}
