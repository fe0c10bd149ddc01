/*
 * Moves the time of day of one process: the file that WELLKEEPER_CLOCK names has by how many nanoseconds, and may be written
 * while the process runs. The monotonic clock stays. The kernel is asked for the time, because to look another definition up may
 * need memory, whose allocator may ask for the time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

/* No monotonic clock shows so many seconds: that would be thirty years after the machine was started. */
#define TIME_OF_DAY 1000000000LL

static const int64_t *moved;

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("WELLKEEPER_CLOCK");
    int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        void *memory = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
        close(file);
        if (memory != MAP_FAILED) {
            moved = memory;
        }
    }
}

static int64_t nanos(const struct timespec *time) {
    return time->tv_sec * SECOND + time->tv_nsec;
}

static struct timespec spec(int64_t nanos) {
    struct timespec time = {nanos / SECOND, nanos % SECOND};
    return time;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int failed = syscall(SYS_clock_gettime, clock, time);
    if (!failed && moved != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        *time = spec(nanos(time) + __atomic_load_n(moved, __ATOMIC_RELAXED));
    }
    return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    struct timespec now;
    (void) zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) {
        *result = now.tv_sec;
    }
    return now.tv_sec;
}

int timespec_get(struct timespec *time, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, time) == 0 ? base : 0;
}

/* The kernel, which ends waits, does not know of the moved time. */
static struct timespec monotonic(const struct timespec *deadline) {
    struct timespec day, now;
    if (deadline->tv_sec < TIME_OF_DAY) {
        return *deadline;
    }
    clock_gettime(CLOCK_REALTIME, &day);
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = nanos(&now) + nanos(deadline) - nanos(&day);
    return spec(end < 0 ? 0 : end);
}

int pthread_cond_timedwait(
        pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    struct timespec end = monotonic(deadline);
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &end);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    struct timespec end = monotonic(deadline);
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &end);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict deadline) {
    struct timespec end = monotonic(deadline);
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end);
}
