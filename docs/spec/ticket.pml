/*
 * The ticket protocol: one lock, N clients, one store that numbers tickets and tells of departures.
 *
 * A client takes a ticket and sees who is ahead, watches the nearest two and its own, and enters when nobody whom it saw
 * ahead is left. Things go wrong, a bounded number of times each: a reply is lost, a removal fails, a session expires, a
 * waiter's ticket is taken away by hand. A holder may be paused for any time between its last check and its write.
 *
 * What is left out: time (a deadline is a step that comes before the store's), reordering on one connection (there is
 * none), read-write modes (readwrite.pml), semaphores.
 *
 * Mutants: -DGAP -DBY_NUMBER -DNO_DEBT -DNO_DEADLINE -DRESTART -DNO_OWN_WATCH
 */
#ifndef N
#define N 3             /* clients */
#endif
#ifndef ROUNDS
#define ROUNDS 1        /* acquisitions of each */
#endif
#ifndef REPLIES
#define REPLIES 1       /* replies that may be lost */
#endif
#ifndef REMOVALS
#define REMOVALS 1      /* removals that may fail */
#endif
#ifndef EXPIRIES
#define EXPIRIES 1      /* sessions that may expire */
#endif
#ifndef EVICTIONS
#define EVICTIONS 1     /* waiters whose ticket may be taken away */
#endif
#define T 8             /* most tickets ever taken */
#define NONE 15

#define bit(t) (1 << (t))
#define has(set, t) (((set) >> (t)) & 1)
#define below(t) (bit(t) - 1)

/* ---- the store ---- */
short live;             /* living tickets, as bits; a smaller ticket is ahead of a larger one */
byte drawn;             /* tickets ever drawn */
byte number[T];         /* as the store shows them: they begin anew when the queue is empty */
byte owner[T];
byte token[T];          /* never begin anew */
byte nextNumber, nextToken;
short watched[N];       /* by client */
short told[N];          /* departures that are under way to the client, or have come */
bool expired[N];        /* the store has ended the session */

/* ---- the clients ---- */
bool inside[N];         /* has been let in and not left */
bool late[N];           /* its own deadline has passed */
byte debts;             /* removals that have failed and are not yet repeated */
byte finished;

/* ---- the world ---- */
byte lastToken;         /* of all grants; token * 4 + hand-over */
byte written;           /* the largest token that the guarded resource has seen */
byte replies = REPLIES, removals = REMOVALS, expiries = EXPIRIES, evictions = EVICTIONS;

#define believes(c) (inside[c] && !late[c])

inline depart(t) {
  live = live & ~bit(t);
  w = 0;
  do
  :: w < N -> if :: has(watched[w], t) -> told[w] = told[w] | bit(t) :: else fi; w++
  :: else -> break
  od;
  w = 0;
  if :: live == 0 -> nextNumber = 0 :: else fi
}

/* Armed first, then checked: who has gone by then is reported too. */
inline watch(t) {
  watched[me] = watched[me] | bit(t);
#ifndef GAP
  if :: !has(live, t) -> told[me] = told[me] | bit(t) :: else fi
#endif
}

inline nearest(set, result) {
  result = NONE; w = 0;
  do
  :: w < T -> if :: has(set, w) -> result = w :: else fi; w++
  :: else -> break
  od;
  w = 0
}

inline take() {
  mine = drawn; drawn++;
  assert(mine < T);
  number[mine] = nextNumber; nextNumber++;
#ifdef RESTART
  token[mine] = number[mine] + 1;
#else
  nextToken++; token[mine] = nextToken;
#endif
  owner[mine] = me;
  ahead = live & below(mine);
  live = live | bit(mine);
  watched[me] = 0; told[me] = 0
}

inline granted(n) {
  w = 0;
  do
  :: w < N -> assert(w == me || !believes(w)); w++
  :: else -> break
  od;
  w = 0;
  assert(token[mine] * 4 + n > lastToken);
  lastToken = token[mine] * 4 + n
}

proctype Client(byte me) {
  byte w, mine, first, second, n;
  bool known;
  byte rounds = ROUNDS;
  short ahead;

again:
  /* a new session, if the last one was lost; a number; and everything ahead: one step at the store */
  skip;
  d_step {
    if :: expired[me] -> expired[me] = false; late[me] = false :: else fi;
    take()
  }
  if /* the reply is lost: the ticket is found again, or has died with its session */
  :: atomic { replies > 0 -> replies-- };
     if
     :: d_step { !expired[me] && has(live, mine) -> ahead = live & below(mine) }
     :: expired[me] -> goto again
     :: d_step { !expired[me] && !has(live, mine) } -> goto again   /* taken away by hand */
     fi
  :: true
  fi;

waiting:
  if
  :: ahead == 0 ->
     if
     :: atomic { !expired[me] && !late[me] -> inside[me] = true };
        goto in
     :: expired[me] -> goto again
     fi
  :: else
  fi;
  /* look-ahead: the nearest and the one before it, and one's own; seen again before anything not yet watched counts */
  d_step {
    nearest(ahead, first);
    nearest(ahead & ~bit(first), second);
    if
    :: has(watched[me], first) && (second == NONE || has(watched[me], second))
    :: else ->
       watch(first);
       if :: second != NONE -> watch(second) :: else fi;
#ifndef NO_OWN_WATCH
       watch(mine)
#endif
    fi;
    first = 0; second = 0
  }
asleep:
  if
  :: expired[me] -> goto again
  :: !expired[me] && has(told[me], mine) -> goto again              /* somebody else has removed my ticket */
  :: d_step { !expired[me] && !has(told[me], mine) && (told[me] & ahead) != 0 ->
       ahead = ahead & ~told[me];
       nearest(ahead, first); nearest(ahead & ~bit(first), second);
       known = ahead == 0 || (has(watched[me], first) && (second == NONE || has(watched[me], second)));
       first = 0; second = 0 }
     if
     :: known
     :: !known ->                                                    /* look again */
        if
        :: d_step { !expired[me] && has(live, mine) -> ahead = ahead & live }
        :: d_step { !expired[me] && !has(live, mine) } -> goto again
        :: expired[me] -> goto again
        fi
     fi;
     goto waiting
  fi;

in:
  n = 0;
  d_step { if :: believes(me) -> granted(0) :: else fi }
use:
  /* the last check, then any pause, then the write: only the resource can refuse it */
  if
  :: atomic { token[mine] * 4 + n >= written -> written = token[mine] * 4 + n };
     assert(n <= 1)
  :: token[mine] * 4 + n < written -> assert(!believes(me))           /* nobody who believes is refused */
  fi;
  if /* another thread of the same client goes on with the same ticket, and a larger token */
  :: n == 0 && believes(me) ->
     d_step { if :: believes(me) -> n = 1; granted(1) :: else fi };
     if :: n == 1 -> goto use :: else fi
  :: true
  fi;

  /* unlock: the hold ends now; the removal is sent, and is a debt if it fails */
  d_step { inside[me] = false; watched[me] = 0; told[me] = 0; known = false; n = 0 }
  if
  :: d_step { expired[me] -> skip }
  :: d_step { !expired[me] && has(live, mine) -> depart(mine) }
  :: d_step { !expired[me] && !has(live, mine) -> skip }
  :: d_step { removals > 0 && !expired[me] -> removals--;
#ifndef NO_DEBT
       debts++;
#endif
     }
#ifndef NO_DEBT
     run Debt(me, mine)
#endif
  fi;
  rounds--;
  if :: rounds > 0 -> goto again :: else fi;
  finished++
}

/* Repeated until the store answers, or the session has ended and its tickets with it. */
proctype Debt(byte me; byte mine) {
  byte w, i;
  d_step {
    if
#ifdef BY_NUMBER
    :: true -> i = 0;
       do
       :: i < T -> if :: has(live, i) && number[i] == number[mine] -> depart(i) :: else fi; i++
       :: else -> break
       od; i = 0
#else
    :: has(live, mine) -> depart(mine)
    :: else
#endif
    fi;
    debts--
  }
}

/* A client is cut off or paused: its own deadline passes first, and only then does the store give its tickets away. */
proctype Expiry() {
  byte w, t, c;
  do
  :: expiries > 0 ->
     expiries--;
     if :: c = 0 :: c = 1 :: N > 2 -> c = 2 fi;
#ifndef NO_DEADLINE
     d_step { if :: !expired[c] -> late[c] = true :: else fi }
#endif
     if /* in time after all, or not */
     :: d_step { !expired[c] && !inside[c] -> late[c] = false }
     :: d_step { !expired[c] ->
          expired[c] = true; watched[c] = 0; t = 0;
          do
          :: t < T -> if :: has(live, t) && owner[t] == c -> depart(t) :: else fi; t++
          :: else -> break
          od; t = 0 }
     :: expired[c]
     fi
  :: break
  od
}

/* A stranger removes the ticket of one who waits. (Removing a holder's is to break the lock; then only tokens help.) */
proctype Eviction() {
  byte w, t;
  if
  :: d_step { evictions > 0 && live != 0 ->
       evictions--; t = 0;
       do
       :: t < T && !(has(live, t) && (live & below(t)) != 0) -> t++
       :: else -> break
       od;
       if :: t < T -> depart(t) :: else fi }
  :: true
  fi
}

init {
  atomic {
    run Client(0); run Client(1);
    if :: N > 2 -> run Client(2) :: else fi;
    run Expiry(); run Eviction()
  }
  (finished == N && debts == 0);        /* everybody comes to an end: else this is an invalid end state */
  assert(live == 0)                     /* and leaves nothing behind */
}
