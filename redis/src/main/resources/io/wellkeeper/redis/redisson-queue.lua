-- The beginning of the scripts that heed the queue of Redisson's RFairLock.
-- KEYS[1]: the lock, a hash: owner -> how often it holds the lock. KEYS[2]: a list of the waiters of the RFairLock.
-- KEYS[3]: a sorted set: waiter -> until when the others wait for it, in milliseconds.
local lock, queue, patience = KEYS[1], KEYS[2], KEYS[3]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local own = 10000 -- milliseconds for which others wait for one of our waiters, which says every second that it waits

-- The first waiter, and whether others ahead of it were removed from the queue, because their time was over.
local function head()
  local left = false
  while true do
    local first = redis.call('LINDEX', queue, 0)
    local ends = first and redis.call('ZSCORE', patience, first)
    if not ends or tonumber(ends) > now then
      return first, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', patience, first)
    left = true
  end
end

-- When a waiter leaves the queue, the times of those behind it are shortened by its own time.
local function shorten(from)
  for _, other in ipairs(redis.call('LRANGE', queue, from, -1)) do
    redis.call('ZINCRBY', patience, -own, other)
  end
end

-- Tells a waiter, on a channel of its own, that it is its turn.
local function wake(first, channel, publish)
  redis.call(publish, channel .. ':' .. first, '0')
end
