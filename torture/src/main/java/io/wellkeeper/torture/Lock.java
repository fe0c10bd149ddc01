package io.wellkeeper.torture;

/**
 * A lock that is tortured. A mutex has one permit; of a read-write lock the writer takes all permits and a reader takes one.
 *
 * @param name of the lock
 * @param primitive what it is
 * @param permits how many permits it has in all
 * @param strict whether acquisitions are served strictly in the order in which they were asked for
 * @param bug what is planted into it
 */
record Lock(String name, Primitive primitive, int permits, boolean strict, PlantedBug bug) {

    /** A flag in a history: see {@link #strict}. */
    static final long STRICT = 1;

    /** A flag in a history: those who do not take all permits may have a token in common. */
    static final long SHARED_TOKENS = 2;

    /** A flag in a history: its numbers come to their end, and then it cannot be had any more. */
    static final long ENDS = 4;

    /** What the name of such a lock ends with. */
    static final String ENDING = "/ending";

    /** What the name of a lock ends with that has letters in the store which not every character set has. */
    static final String LETTERS = "/letters";

    /** As many readers as ever come at once. */
    private static final int READERS = 1_000;

    /** What a lock is. */
    enum Primitive {
        MUTEX,
        READ_WRITE,
        SEMAPHORE
    }

    static Lock mutex(String name, boolean strict) {
        return new Lock(name, Primitive.MUTEX, 1, strict, PlantedBug.NONE);
    }

    static Lock readWrite(String name) {
        return new Lock(name, Primitive.READ_WRITE, READERS, false, PlantedBug.NONE);
    }

    static Lock semaphore(String name, int permits) {
        return new Lock(name, Primitive.SEMAPHORE, permits, false, PlantedBug.NONE);
    }

    /** What it is called in the store: a history has plain names. */
    String stored() {
        return stored(name);
    }

    /** The same of this name. */
    static String stored(String name) {
        return name.endsWith(LETTERS) ? name + "/z\u00fcrich" : name;
    }

    boolean hasLetters() {
        return name.endsWith(LETTERS);
    }

    boolean isMutex() {
        return primitive == Primitive.MUTEX;
    }

    boolean isEnding() {
        return name.endsWith(ENDING);
    }

    /** A lock of that name that is no more than simple ones are. */
    Lock simple() {
        return new Lock(name, Primitive.MUTEX, 1, false, bug);
    }

    /** The same with a bug. */
    Lock with(PlantedBug planted) {
        return new Lock(name, primitive, permits, strict, planted);
    }

    /** As one word, for {@link #parse}. */
    String word() {
        return primitive + ":" + permits + ":" + strict + ":" + bug + ":" + name;
    }

    /** What {@link #word} has made. */
    static Lock parse(String word) {
        String[] parts = word.split(":", 5);
        return new Lock(
                parts[4],
                Primitive.valueOf(parts[0]),
                Integer.parseInt(parts[1]),
                Boolean.parseBoolean(parts[2]),
                PlantedBug.valueOf(parts[3]));
    }

    long flags() {
        return (strict ? STRICT : 0)
                + (primitive == Primitive.READ_WRITE ? SHARED_TOKENS : 0)
                + (isEnding() ? ENDS : 0);
    }
}
