package io.wellkeeper.torture;

import java.util.function.Consumer;

/** A latch is counted down once for each time that somebody was told so: {@code miscount}. */
final class CountRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        run.latches().forEach((name, latch) -> {
            if (latch.seen == Section.NEVER) {
                return;
            }
            long killed = latch.counted.stream() // before it could write down what it had counted
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
