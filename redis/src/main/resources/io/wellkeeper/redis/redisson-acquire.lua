-- Takes a lock, or keeps it, as an RLock of Redisson; but not before the waiters of an RFairLock. If there are any, an
-- asking process that waits joins their queue, and says again and again that it waits.
-- ARGV: owner, milliseconds, the channel on which Redisson tells of releases, the command by which it does so, the name
-- of the asking process in the queue, 1 if it waits, and for how many milliseconds Redisson waits for each waiter in
-- the queue. Returns 1 if the lock is the owner's.
local owner, lease, me = ARGV[1], ARGV[2], ARGV[5]
local first, others_left = head()
if redis.call('EXISTS', lock) == 1 then
  if redis.pcall('HEXISTS', lock, owner) == 1 then -- if it is no hash, it is another owner's too
    prolong(lock, lease)
    return { 1 }
  end
elseif not first or first == me then
  if first then
    redis.call('LPOP', queue)
    redis.call('ZREM', patience, me)
    shorten(0)
  end
  return all_or_nothing(function() -- else the lock would stay taken for good, with no holder
    redis.call('HSET', lock, owner, '1')
    redis.call('PEXPIRE', lock, lease)
    return { 1 }
  end, function()
    redis.call('DEL', lock)
  end)
elseif others_left then
  wake(first, ARGV[3], ARGV[4])
end
if first and ARGV[6] == '1' then
  local ahead = redis.call('LPOS', queue, me)
  local ends = tonumber(redis.call('ZSCORE', patience, me)) or 0
  if not ahead then
    ends = (tonumber(redis.call('ZSCORE', patience, redis.call('LINDEX', queue, -1))) or now) + own
    ahead = redis.call('RPUSH', queue, me) - 1
  end
  redis.call('ZADD', patience, string.format('%.0f', math.max(ends, now + ahead * ARGV[7] + own)), me)
end
return { 0 }
