package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A waiter at a strict lock is not overtaken by one that has come clearly later, if there is no trouble: {@code
 * overtaken}.
 */
final class OrderRule implements Rule {

    /** How long a request may be under way before it has its place in the queue. */
    private static final long SLACK = TimeUnit.MILLISECONDS.toNanos(500);

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        for (Run.LockUse lock : run.locks()) {
            if (lock.has(Lock.STRICT)) {
                check(lock, trouble, found);
            }
        }
    }

    private static void check(Run.LockUse lock, Trouble trouble, Consumer<Violation> found) {
        List<Section> sections = new ArrayList<>(
                lock.sections.stream().filter(Section::isGranted).toList());
        sections.sort(Comparator.comparingLong(section -> section.request));
        Section[] first = new Section[sections.size()]; // the one that was let in first of those from here on
        for (int i = sections.size() - 1; i >= 0; i--) {
            Section here = sections.get(i);
            first[i] = i + 1 < first.length && first[i + 1].granted < here.granted ? first[i + 1] : here;
        }
        int later = 0;
        for (Section section : sections) {
            while (later < first.length && sections.get(later).request <= section.request + SLACK) {
                later++;
            }
            if (later < first.length
                    && first[later].granted < section.granted
                    && trouble.delay(section.request, section.granted) < SLACK / 2
                    && !trouble.of(section.process).touch(section.request, section.granted)
                    && !trouble.ofEverybody().touch(section.request, section.granted)) {
                found.accept(new Violation(
                        "overtaken",
                        first[later].granted,
                        lock.name,
                        first[later] + " overtook " + section + ", which had waited before it came"));
            }
        }
    }
}
