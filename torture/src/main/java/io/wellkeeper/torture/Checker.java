package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Says whether the locks of a run have kept what they promise. */
final class Checker {

    private Checker() {}

    /**
     * What came of it.
     *
     * @param violations by their time
     * @param leads how much earlier each holder that lost its lock knew than the next one was let in, in nanoseconds,
     *     smallest first; those that did not run are left out
     */
    record Verdict(List<Violation> violations, List<Long> leads) {}

    /** Holds a run to all rules. */
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
