package io.wellkeeper.torture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A run as rows of bars. Each lock has rows for each worker that used it: as many as are needed so that the
 * acquisitions do not overlap, up to a bound. A process that was started when another one had gone counts as the same
 * worker.
 */
final class Timeline {

    /** If a worker has more acquisitions under way at once, some of them are drawn over each other. */
    private static final int MOST_ROWS = 12;

    /**
     * A row of acquisitions, in the order of their requests.
     *
     * @param lock the index of the lock among those of the run
     * @param worker the number of the worker, from 1
     */
    record Row(int lock, int worker, List<Section> sections) {}

    private final Run run;
    private final Map<Integer, Integer> workers = new HashMap<>();
    private final List<Row> rows = new ArrayList<>();

    Timeline(Run run) {
        this.run = run;
        number();
        int position = 0;
        for (Run.LockUse lock : run.locks()) {
            rows(position++, lock);
        }
    }

    private void number() {
        Map<Integer, Long> first = new HashMap<>();
        for (Run.LockUse lock : run.locks()) {
            lock.sections.forEach(section -> first.merge(section.process, section.request, Math::min));
        }
        run.faults().forEach(fault -> first.merge(fault.process, fault.begin, Math::min));
        run.processes().forEach(process -> first.putIfAbsent(process, run.end()));
        first.remove(Run.NOBODY);
        List<Long> gone = new ArrayList<>(); // for each worker, when its latest process was gone
        first.entrySet().stream()
                .sorted(Map.Entry.<Integer, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .forEach(entry -> {
                    int worker = 0;
                    while (worker < gone.size() && gone.get(worker) >= entry.getValue()) {
                        worker++;
                    }
                    if (worker == gone.size()) {
                        gone.add(Long.MIN_VALUE);
                    }
                    gone.set(worker, run.gone(entry.getKey()));
                    workers.put(entry.getKey(), worker + 1);
                });
    }

    private void rows(int position, Run.LockUse lock) {
        Map<Integer, List<Section>> byWorker = new HashMap<>();
        lock.sections.forEach(section -> byWorker.computeIfAbsent(worker(section.process), unused -> new ArrayList<>())
                .add(section));
        byWorker.entrySet().stream().sorted(Map.Entry.comparingByKey()).forEach(entry -> {
            List<Row> own = new ArrayList<>();
            entry.getValue().sort(Comparator.comparingLong(section -> section.request));
            for (Section section : entry.getValue()) {
                row(own, position, entry.getKey(), section.request).sections().add(section);
            }
            rows.addAll(own);
        });
    }

    private Row row(List<Row> own, int lock, int worker, long from) {
        for (Row row : own) {
            if (end(row.sections().get(row.sections().size() - 1)) <= from) {
                return row;
            }
        }
        if (own.size() == MOST_ROWS) {
            return own.get(MOST_ROWS - 1);
        }
        Row row = new Row(lock, worker, new ArrayList<>());
        own.add(row);
        return row;
    }

    /** When a section ended, in whatever way. */
    long end(Section section) {
        long end = section.isGranted() ? section.released : section.over;
        return Math.max(section.request, Math.min(end, run.gone(section.process)));
    }

    /** The number of the worker that a process is, from 1; 0 for the servers. */
    int worker(int process) {
        return process == Run.NOBODY ? 0 : workers.getOrDefault(process, 0);
    }

    /** How many workers there are. */
    int workers() {
        return workers.values().stream().mapToInt(worker -> worker).max().orElse(0);
    }

    /** The rows, ordered by lock and worker. */
    List<Row> rows() {
        return rows;
    }
}
