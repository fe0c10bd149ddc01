package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How soon locks went from one holder to the next, if the next one was waiting already and had no trouble. Only pairs
 * of holders count that both take all permits.
 *
 * @param afterRelease from when the holder was about to release, in nanoseconds, smallest first
 * @param afterFault from when a fault began that cost the holder the lock, in nanoseconds, smallest first
 */
record HandOvers(List<Long> afterRelease, List<Long> afterFault) {

    /** The hand-overs of a run. */
    static HandOvers of(Run run) {
        Map<Integer, List<Long>> faults = new HashMap<>();
        run.faults()
                .forEach(fault -> faults.computeIfAbsent(fault.process, unused -> new ArrayList<>())
                        .add(fault.begin));
        faults.values().forEach(list -> list.sort(Comparator.naturalOrder()));
        Trouble trouble = new Trouble(run);
        HandOvers all = new HandOvers(new ArrayList<>(), new ArrayList<>());
        for (Run.LockUse lock : run.locks()) {
            List<Section> sections = lock.sections.stream()
                    .filter(Section::isGranted)
                    .sorted(Comparator.comparingLong(section -> section.granted))
                    .toList();
            for (int i = 1; i < sections.size(); i++) {
                Section before = sections.get(i - 1);
                Section next = sections.get(i);
                if (lock.isExclusive(before) && lock.isExclusive(next)) {
                    all.add(before, next, faults.getOrDefault(before.process, List.of()), trouble);
                }
            }
        }
        all.afterRelease.sort(Comparator.naturalOrder());
        all.afterFault.sort(Comparator.naturalOrder());
        return all;
    }

    private void add(Section before, Section next, List<Long> faults, Trouble trouble) {
        long begin = before.releasedInTime
                ? before.release
                : faults.stream()
                        .filter(fault -> fault >= before.granted)
                        .findFirst()
                        .orElse(Section.NEVER);
        if (next.request < begin
                && begin <= next.granted
                && !trouble.of(next.process).touch(begin, next.granted)) {
            (before.releasedInTime ? afterRelease : afterFault).add(next.granted - begin);
        }
    }
}
