-- What every script begins with.
-- KEYS[1]: a sorted set, session -> deadline in milliseconds of the server's clock.
-- The last of KEYS: a hash, session -> the sequence number of its last take in this partition.
-- ARGV[1]: the session that asks. ARGV[2]: what the names of the sessions' channels begin with: with a hash tag, they
-- are a Cluster's, of the same slot.
local sessions, sequences = KEYS[1], KEYS[#KEYS]
local me, channels = ARGV[1], ARGV[2]
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
local leases = {}

local publish = string.find(channels, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'

local function tell(session, what)
  redis.call(publish, channels .. session, what)
end

-- Milliseconds that are left of a session; 0 if it has ended, and then for good, whatever the clock does later. Should
-- its owner be there still, it is told.
local function lease(session)
  local left = leases[session]
  if not left then
    local deadline = redis.call('ZSCORE', sessions, session)
    left = deadline and tonumber(deadline) - now or 0
    if left <= 0 then
      left = 0
      if deadline then
        redis.call('ZREM', sessions, session)
        redis.call('HDEL', sequences, session)
        tell(session, 'x')
      end
    end
    leases[session] = left
  end
  return left
end

-- A ticket is 'number:session:request:generation:mode:permits'.
local function owner(ticket)
  return string.match(ticket, '^%d+:(%w+)')
end

local function text(number)
  return string.format('%.0f', number)
end

-- What is kept of sessions vanishes with the last of them, even if nobody is left to see it.
local function outlast()
  local last = redis.call('ZRANGE', sessions, -1, -1, 'WITHSCORES')[2]
  if last then
    redis.call('PEXPIREAT', sessions, last)
    redis.call('PEXPIREAT', sequences, last)
  end
end
