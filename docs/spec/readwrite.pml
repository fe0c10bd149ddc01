/*
 * Readers, writers and the upgradeable read in one queue: what lets whom in, the downgrade of a writer, and the upgrade.
 *
 * A ticket is READ, WRITE, UPGRADEABLE or UPGRADE. A WRITE ticket may be replaced in its place by a READ one (the writer
 * reads on). The holder of the UPGRADEABLE ticket becomes the writer by a second ticket, UPGRADE, at the end of the queue:
 * it waits for the readers that it saw ahead of the first waiting writer, and for nobody else. A reader beside an
 * upgradeable ticket looks at the whole queue before it enters; finds it an upgrade behind itself, it goes to the end.
 *
 * Drawing a number and seeing who is ahead are two steps here, as in ZooKeeper. Loss of sessions and of replies is left to
 * ticket.pml; everybody is told of every departure.
 *
 * Mutants: -DPROOF        a departure is proof, also of a ticket that may have been replaced
 *          -DBLIND        a reader does not look for an upgrade behind it
 *          -DPLACE        a reader beside an upgradeable ticket trusts what it saw when it drew its number
 */
#ifndef READERS
#define READERS 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef UPGRADERS
#define UPGRADERS 1
#endif
#define CLIENTS (READERS + WRITERS + UPGRADERS)
#define T 8

#define READ 0
#define WRITE 1
#define UPGRADEABLE 2
#define UPGRADE 3

#define bit(t) (1 << (t))
#define has(set, t) (((set) >> (t)) & 1)
#define below(t) (bit(t) - 1)

short live;             /* living tickets; a smaller one is ahead of a larger one */
short reads, writes, upgradeables, upgrades;   /* which of all tickets are what, by now */
byte drawn;
short told[CLIENTS];    /* departures and replacements that the client has not yet taken note of */

byte reading, writing, upgradeable;            /* how many are in, and as what */
byte finished;
bool givesUp = true;    /* one waiting writer may give up */

#define exclusive (writes | upgrades)

inline tell(t) {
  w = 0;
  do :: w < CLIENTS -> told[w] = told[w] | bit(t); w++ :: else -> break od;
  w = 0
}

inline depart(t) { live = live & ~bit(t); tell(t) }

inline draw(t, kind) {
  t = drawn; drawn++; assert(t < T);
  if
  :: kind == READ -> reads = reads | bit(t)
  :: kind == WRITE -> writes = writes | bit(t)
  :: kind == UPGRADEABLE -> upgradeables = upgradeables | bit(t)
  :: kind == UPGRADE -> upgrades = upgrades | bit(t)
  fi;
  live = live | bit(t)
}

/* What is ahead that keeps me out, and whether an upgradeable ticket is ahead or an upgrade behind. */
inline look(t, keepsOut) {
  out = live & below(t) & (keepsOut);
  beside = (live & below(t) & upgradeables) != 0;
  overtaken = (live & ~below(t) & ~bit(t) & upgrades) != 0;
  told[me] = 0
}

/* The readers ahead of the first waiting writer: those behind him wait, as he does, for the upgradeable ticket. */
inline judge(x) {
  w = 0; out = 0;
  do
  :: w < x && !(has(live, w) && has(writes, w)) ->
     if :: has(live, w) && has(reads, w) -> out = out | bit(w) :: else fi;
     w++
  :: else -> break
  od;
  w = 0
}

#define sound (writing <= 1 && upgradeable <= 1 && (writing == 0 || reading == 0))

proctype Reader(byte me) {
  byte w, t; short out; bool beside, overtaken;
again:
  skip;
  d_step { draw(t, READ) };
  d_step { look(t, exclusive) };
#ifndef PLACE
  if :: beside && out == 0 -> d_step { look(t, exclusive) } :: else -> overtaken = false fi;
#else
  overtaken = false;
#endif
  do
  :: out == 0 -> break
  :: out != 0 && told[me] != 0 ->                       /* every exclusive ticket here may be replaced: look */
#ifdef PROOF
     d_step { out = out & ~told[me]; told[me] = 0 }
#else
     d_step { look(t, exclusive) }
#endif
  od;
#ifndef BLIND
  if
  :: beside && overtaken -> d_step { depart(t) }; goto again
  :: else
  fi;
#endif
  skip;
  d_step { out = 0; beside = false; overtaken = false; reading++ };
  assert(sound);
  d_step { reading--; depart(t); finished++ }
}

proctype Writer(byte me) {
  byte w, t; short out; bool beside, overtaken;
  d_step { draw(t, WRITE) };
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
  d_step { out = 0; beside = false; overtaken = false; writing++ };
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

proctype Upgrader(byte me) {
  byte w, t, x; short out; bool beside, overtaken;
  d_step { draw(t, UPGRADEABLE) };
  d_step { look(t, exclusive | upgradeables) };
  do
  :: out == 0 -> break
  :: out != 0 && told[me] != 0 -> d_step { look(t, exclusive | upgradeables) }
  od;
  skip;
  d_step { out = 0; upgradeable++ };
  assert(sound);
  if
  :: true ->                                              /* becomes the writer */
     d_step { draw(x, UPGRADE) };
     d_step { judge(x); told[me] = 0 };
     do
     :: out == 0 -> break
     :: out != 0 && told[me] != 0 ->
        d_step { out = out & live; told[me] = 0 }
     od;
     skip;
     d_step { out = 0; writing++ };
     assert(sound);
     d_step { writing--; depart(x); x = 0 }
  :: true                                                 /* or not */
  fi;
  d_step { upgradeable--; depart(t); finished++ }
}

init {
  byte i;
  atomic {
    i = 0;
    do :: i < READERS -> run Reader(i); i++ :: else -> break od;
    do :: i < READERS + WRITERS -> run Writer(i); i++ :: else -> break od;
    do :: i < CLIENTS -> run Upgrader(i); i++ :: else -> break od;
    i = 0
  }
  finished == CLIENTS;
  assert(live == 0)
}
