-- What those scripts begin with that heed the queue of Redisson's RFairLock.
-- KEYS[1]: the lock, a hash: owner -> how often he holds it. KEYS[2]: a list of those who wait for it by an RFairLock.
-- KEYS[3]: a sorted set: one of them -> until when he is waited for, in milliseconds.
local lock, queue, patience = KEYS[1], KEYS[2], KEYS[3]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local own = 10000 -- milliseconds for which one of us in the queue is waited for; he says every second that he waits

-- The first who waits, and whether others have left the queue before him, because they are not waited for any more.
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

-- Whoever leaves the queue takes his own time off that of those behind him.
local function shorten(from)
  for _, other in ipairs(redis.call('LRANGE', queue, from, -1)) do
    redis.call('ZINCRBY', patience, -own, other)
  end
end

-- Tells one who waits, on a channel of his own, that it is his turn.
local function wake(first, channel, publish)
  redis.call(publish, channel .. ':' .. first, '0')
end
