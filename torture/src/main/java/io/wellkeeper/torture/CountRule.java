package io.wellkeeper.torture;

import java.util.function.Consumer;

/** A latch goes down by one for each count-down that was acknowledged: {@code miscount}. */
final class CountRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        run.latches().forEach((name, latch) -> {
            if (latch.seen == Section.NEVER) {
                return;
            }
            long killed = latch.counted.stream() // perhaps before it wrote its last count-down to the history
                    .mapToInt(Event::process)
                    .distinct()
                    .filter(run::wasKilled)
                    .count();
            long least = latch.counted.stream()
                    .filter(event -> event.time() < latch.asked)
                    .mapToLong(Event::a)
                    .sum();
            long most = killed
                    + latch.counted.stream()
                            .mapToLong(event -> event.a() + event.b())
                            .sum();
            long down = latch.first - latch.last;
            if (down < least || down > most) {
                found.accept(new Violation(
                        "miscount",
                        latch.seen,
                        name,
                        "it went down by " + down + ", though it was counted down " + least + " to " + most
                                + " times"));
            }
        });
    }
}
