/*
 * Readers and writers in one queue: what lets whom in, and the downgrade of a writer.
 *
 * A ticket is READ or WRITE. A WRITE ticket may be replaced in its place by a READ one (the writer reads on). One waiting
 * writer may give up.
 *
 * Drawing a number and seeing who is ahead are two steps here, as in ZooKeeper. Loss of sessions and of replies is left to
 * ticket.pml; everybody is told of every departure.
 *
 * Mutant: -DPROOF        a departure is proof, also of a ticket that may have been replaced
 */
#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#define CLIENTS (READERS + WRITERS)
#define T 8

#define bit(t) (1 << (t))
#define below(t) (bit(t) - 1)

short live;             /* living tickets; a smaller one is ahead of a larger one */
short reads, writes;    /* which of all tickets are what, by now */
byte drawn;
short told[CLIENTS];    /* departures and replacements that the client has not yet taken note of */

byte reading, writing;  /* how many are in, and as what */
byte finished;
bool givesUp = true;    /* one waiting writer may give up */

inline tell(t) {
  w = 0;
  do :: w < CLIENTS -> told[w] = told[w] | bit(t); w++ :: else -> break od;
  w = 0
}

inline depart(t) { live = live & ~bit(t); tell(t) }

inline draw(t) { t = drawn; drawn++; assert(t < T); live = live | bit(t) }

/* What is ahead that keeps me out. */
inline look(t, keepsOut) {
  out = live & below(t) & (keepsOut);
  told[me] = 0
}

#define sound (writing <= 1 && (writing == 0 || reading == 0))

proctype Reader(byte me) {
  byte w, t; short out;
  d_step { draw(t); reads = reads | bit(t) };
  d_step { look(t, writes) };
  do
  :: out == 0 -> break
  :: out != 0 && told[me] != 0 ->                       /* every exclusive ticket here may be replaced: look */
#ifdef PROOF
     d_step { out = out & ~told[me]; told[me] = 0 }
#else
     d_step { look(t, writes) }
#endif
  od;
  skip;
  d_step { out = 0; reading++ };
  assert(sound);
  d_step { reading--; depart(t); finished++ }
}

proctype Writer(byte me) {
  byte w, t; short out;
  d_step { draw(t); writes = writes | bit(t) };
  d_step { look(t, live) };
  do
  :: out == 0 -> break
  :: out != 0 && told[me] != 0 ->
#ifdef PROOF
     d_step { out = out & ~told[me]; told[me] = 0 }
#else
     d_step { look(t, live) }
#endif
  :: d_step { out != 0 && givesUp -> givesUp = false; out = 0; depart(t); finished++ }; goto done
  od;
  skip;
  d_step { out = 0; writing++ };
  assert(sound);
  if
  :: true -> d_step { writing--; depart(t); finished++ }
  :: true ->                                              /* reads on: one step at the store, no gap */
     d_step {
       writes = writes & ~bit(t); reads = reads | bit(t); tell(t);
       writing--; reading++ };
     assert(sound);
     d_step { reading--; depart(t); finished++ }
  fi;
done: skip
}

init {
  byte i;
  atomic {
    i = 0;
    do :: i < READERS -> run Reader(i); i++ :: else -> break od;
    do :: i < CLIENTS -> run Writer(i); i++ :: else -> break od;
    i = 0
  }
  finished == CLIENTS;
  assert(live == 0)
}
