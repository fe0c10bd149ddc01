package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A process that was stopped for longer than its session lives does not believe that it still holds what it held
 * before: {@code blind-after-pause}.
 */
final class PauseRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        Map<Integer, List<Run.FaultSpan>> pauses = new HashMap<>();
        for (Run.FaultSpan fault : run.faults()) {
            boolean ended = fault.struck != Section.NEVER && fault.healing != Section.NEVER;
            if (FaultKind.stops(fault.kind)
                    && ended
                    && fault.healing - fault.struck > run.setting(Run.SESSION_TIMEOUT)) {
                pauses.computeIfAbsent(fault.process, unused -> new ArrayList<>())
                        .add(fault);
            }
        }
        pauses.values().forEach(list -> list.sort(Comparator.comparingLong(fault -> fault.begin)));
        for (Run.LockUse lock : run.locks()) {
            for (Section section : lock.sections) {
                for (Run.FaultSpan pause : pauses.getOrDefault(section.process, List.of())) {
                    if (section.granted < pause.begin && section.heldUntil() > pause.healing) {
                        found.accept(new Violation(
                                "blind-after-pause",
                                section.heldUntil(),
                                lock.name,
                                section + " thought that it held it after it had been stopped for too long"));
                        break;
                    }
                }
            }
        }
    }
}
