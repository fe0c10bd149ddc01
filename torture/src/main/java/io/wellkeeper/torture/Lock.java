package io.wellkeeper.torture;

/**
 * A lock that is tortured. A mutex has one permit. A writer of a read-write lock takes all permits, a reader takes one.
 *
 * @param name of the lock
 * @param primitive the kind of lock
 * @param permits how many permits it has in all
 * @param strict whether acquisitions are served strictly in the order in which they were requested
 * @param bug the bug that is planted into it
 */
record Lock(String name, Primitive primitive, int permits, boolean strict, PlantedBug bug) {

    /** A flag in a history: see {@link #strict}. */
    static final long STRICT = 1;

    /** A flag in a history: holders that do not take all permits may have the same token. */
    static final long SHARED_TOKENS = 2;

    /** A flag in a history: the lock's numbers come to their end, and then it cannot be acquired any more. */
    static final long ENDS = 4;

    /** The end of the name of a lock with the flag {@link #ENDS}. */
    static final String ENDING = "/ending";

    /** The end of the name of a lock whose name in the store has letters that some character sets lack. */
    static final String LETTERS = "/letters";

    /** The permits of a read-write lock: more readers never come at once. */
    private static final int READERS = 1_000;

    /** The kinds of locks. */
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

    /** The name of the lock in the store; a history has the plain name. */
    String stored() {
        return stored(name);
    }

    /** The name in the store of the lock with this name. */
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

    /** A simple lock with the same name. */
    Lock simple() {
        return new Lock(name, Primitive.MUTEX, 1, false, bug);
    }

    /** The same lock with a bug. */
    Lock with(PlantedBug planted) {
        return new Lock(name, primitive, permits, strict, planted);
    }

    /** This lock as one word, for {@link #parse}. */
    String word() {
        return primitive + ":" + permits + ":" + strict + ":" + bug + ":" + name;
    }

    /** Makes a lock of a {@link #word}. */
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
