package io.wellkeeper.torture;

import java.util.List;
import java.util.function.Consumer;

/**
 * While the servers refuse each change, as when their disk is full, a request for a lock must fail, and must not wait
 * for that to pass ({@code silent-refusal}). Requests that are granted do not count: their own process hands the lock
 * on to them. Some others may wait behind those, so only most requests must fail.
 */
final class RefusalRule implements Rule {

    private static final int FEWEST = 4; // with fewer requests nothing is checked

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        List<Section> asked =
                run.locks().stream().flatMap(lock -> lock.sections.stream()).toList();
        for (Run.FaultSpan fault : run.faults()) {
            if (!fault.refuses || fault.struck == Section.NEVER || fault.healing == Section.NEVER) {
                continue;
            }
            List<Section> meanwhile = asked.stream()
                    .filter(section -> section.request > fault.struck && section.request < fault.healing)
                    .filter(section -> section.granted > fault.healing)
                    .toList();
            long told = meanwhile.stream()
                    .filter(section -> !section.failure.isEmpty() && section.over < fault.healing)
                    .count();
            if (meanwhile.size() >= FEWEST && told * 2 < meanwhile.size()) {
                found.accept(new Violation(
                        "silent-refusal",
                        fault.healing,
                        "-",
                        "of " + meanwhile.size() + " who asked while the servers refused everything only " + told
                                + " were told"));
            }
        }
    }
}
