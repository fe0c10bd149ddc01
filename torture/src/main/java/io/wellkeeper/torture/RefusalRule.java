package io.wellkeeper.torture;

import java.util.List;
import java.util.function.Consumer;

/**
 * While the servers serve and refuse whatever would change anything, as when their disk is full, whoever asks for a lock is told
 * so, and does not wait as if that would pass ({@code silent-refusal}). Those are not counted who are let in, because their own process
 * hands the lock on; and some others may wait behind those, so most of them must be told.
 */
final class RefusalRule implements Rule {

    private static final int FEWEST = 4; // of whom something can be said

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
