package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Checks whether the locks of a run have kept their promises. */
final class Checker {

    private Checker() {}

    /**
     * The result of a check.
     *
     * @param violations in the order of their times
     * @param leads for each holder that lost its lock: how many nanoseconds before the next holder was let in it knew
     *     that; smallest first. Holders that did not run are left out
     */
    record Verdict(List<Violation> violations, List<Long> leads) {}

    /** Checks a run by all rules. */
    static Verdict check(Run run) {
        List<Violation> violations = new ArrayList<>(run.plain());
        List<Long> leads = new ArrayList<>();
        Trouble trouble = new Trouble(run);
        List<Rule> rules = List.of(
                new ExclusionRule(),
                new TokenRule(),
                new WriteRule(),
                new LossRule(leads::add),
                new RefusalRule(),
                new PauseRule(),
                new IdleRule(),
                new OrderRule(),
                new AnswerRule(),
                new DeadlineRule(),
                new CountRule());
        rules.forEach(rule -> rule.check(run, trouble, violations::add));
        violations.sort(Comparator.comparingLong(Violation::time));
        leads.sort(Comparator.naturalOrder());
        return new Verdict(violations, leads);
    }
}
