-- The beginning, after sessions.lua, of the scripts of one queue.
-- KEYS[2]: a sorted set, ticket -> number.
-- KEYS[3]: a hash: 'r<session>:<request>' what is written on a ticket, behind its number and perhaps that of the
--          writing; 'w<ticket>' the sessions that watch it, 'a' the tickets that want to be told of newcomers; 't' the
--          notice, 'v' its version, 'p' the last post, 'o' the sessions that watch the notice, 'k' that a notice was
--          taken down which would have stayed for good, so that the next notice stays, too.
-- KEYS[4]: a sorted set, name of a lock in use -> when it may be forgotten.
local queue, data, names = KEYS[2], KEYS[3], KEYS[4]

-- A list of sessions in a field of the hash: each is followed by a space.
local function enlisted(there, session)
  there = there or ''
  return string.find(there, session .. ' ', 1, true) and there or there .. session .. ' '
end

local function enlist(field, session)
  redis.call('HSET', data, field, enlisted(redis.call('HGET', data, field), session))
end

local function strike(field, there, session)
  if there then
    local rest = string.gsub(there, session .. ' ', '')
    if rest == '' then
      redis.call('HDEL', data, field)
    elseif rest ~= there then
      redis.call('HSET', data, field, rest)
    end
  end
end

-- Tells exactly the sessions that watch a ticket that it is gone; and the present queue, if it is short, so that they
-- need not ask for it.
local function announce(ticket, watchers)
  if watchers then
    redis.call('HDEL', data, 'w' .. ticket)
    local word = 'd' .. ticket
    if redis.call('ZCARD', queue) <= 32 then
      word = word .. ' ' .. table.concat(redis.call('ZRANGE', queue, 0, -1), ' ')
    end
    for session in string.gmatch(watchers, '%w+') do
      tell(session, word)
    end
  end
end

-- What is to be done when a ticket has left the queue. Its session is told, unless that is the one that asks.
local function departed(ticket)
  local number, own = string.match(ticket, '^(%d+):(%w+:%w+)')
  if not own then
    return -- it was no ticket
  end
  local there = redis.call('HMGET', data, 'a', 'w' .. ticket, 'r' .. own)
  if there[3] and string.match(there[3], '^%d+') == number then -- else another ticket was drawn for the same request
    redis.call('HDEL', data, 'r' .. own)
  end
  strike('a', there[1], own)
  announce(ticket, there[2])
  local session = owner(ticket)
  if session ~= me then
    tell(session, 'd' .. ticket)
  end
end

-- Gives back a ticket of this number. Returns 1 if the ticket was there.
local function give_back(ticket, number)
  local there = redis.call('ZREM', queue, ticket)
  if there == 1 or #redis.call('ZRANGEBYSCORE', queue, number, number) == 0 then -- it was not replaced
    departed(ticket)
    if redis.call('EXISTS', queue) == 0 then
      redis.call('ZREM', names, ARGV[3])
    end
  end
  return there
end
