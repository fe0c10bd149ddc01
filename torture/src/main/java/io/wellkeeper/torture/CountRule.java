package io.wellkeeper.torture;

import java.util.function.Consumer;

/** A latch is counted down once for each time that somebody was told so: {@code miscount}. */
final class CountRule implements Rule {

    @Override
    public void check(Run run, Trouble trouble, Consumer<Violation> found) {
        run.latches().forEach((name, latch) -> {
            long killed = latch.counting.stream().filter(run::wasKilled).count(); // before they could write it down
            long down = latch.first - latch.last;
            long most = latch.counted + latch.unknown + killed;
            if (latch.seen != Section.NEVER && (down < latch.counted || down > most)) {
                found.accept(new Violation(
                        "miscount",
                        latch.seen,
                        name,
                        "it went down by " + down + ", though " + latch.counted
                                + " were told that they had counted, and " + latch.unknown + " that they may have"));
            }
        });
    }
}
