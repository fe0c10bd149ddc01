package io.wellkeeper.testkit;

import io.wellkeeper.LockListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Checks that the events of each acquisition come to the listener of one client in the promised order. */
class ListenerJudge implements LockListener {

    private enum Word {
        NONE,
        CONTENDED,
        ACQUIRED,
        GAVE_UP,
        RELEASED,
        LOST
    }

    private final SimulatedProcess process;
    private final Consumer<String> wrong;
    private final Map<Acquisition, Word> last = new HashMap<>();

    /** @param wrong receives a description of each violation */
    ListenerJudge(SimulatedProcess process, Consumer<String> wrong) {
        this.process = process;
        this.wrong = wrong;
    }

    private void hear(Acquisition what, Word word, Set<Word> after) {
        Word before = last.getOrDefault(what, Word.NONE);
        last.put(what, word);
        if (!after.contains(before)) {
            wrong.accept("the listener is told " + word + " after " + before + ": " + what);
        }
    }

    /** Checks, after the client was closed, that the listener was told how each acquisition ended. */
    void judgeEnd() {
        if (!process.isDead() && (last.containsValue(Word.CONTENDED) || last.containsValue(Word.ACQUIRED))) {
            wrong.accept("the listener is never told how it ends: " + last);
        }
    }

    @Override
    public void contended(Acquisition what) {
        hear(what, Word.CONTENDED, Set.of(Word.NONE));
    }

    @Override
    public void acquired(Acquisition what, Duration waited) {
        hear(what, Word.ACQUIRED, Set.of(Word.NONE, Word.CONTENDED));
    }

    @Override
    public void gaveUp(Acquisition what, Duration waited, Outcome outcome, @Nullable Throwable failure) {
        hear(what, Word.GAVE_UP, Set.of(Word.NONE, Word.CONTENDED));
    }

    @Override
    public void partlyReleased(Acquisition what, int permits) {
        hear(what, Word.ACQUIRED, Set.of(Word.ACQUIRED));
    }

    @Override
    public void released(Acquisition what, Duration held) {
        hear(what, Word.RELEASED, Set.of(Word.ACQUIRED));
    }

    @Override
    public void lost(Acquisition what, Duration held, String reason) {
        hear(what, Word.LOST, Set.of(Word.ACQUIRED));
    }
}
