-- What the scripts of one queue begin with, after sessions.lua.
-- KEYS[2]: a sorted set, ticket -> number.
-- KEYS[3]: a hash: 'r<session>:<request>' what is written on a ticket, behind its number and perhaps that of the writing;
--          'w<ticket>' who watches it, 'a' who wants to know of newcomers; 't' the notice, 'v' its version, 'p' the last
--          post, 'o' who watches it, 'k' that it was taken down where it would have stayed, and so does the next.
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

-- Tells exactly those who watch a ticket that it is gone; and what the queue is now, if it is short, so that they need
-- not ask.
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

-- What is to be done when a ticket has left the queue. Its owner is told, unless it was he.
local function departed(ticket)
  local number, own = string.match(ticket, '^(%d+):(%w+:%w+)')
  if not own then
    return -- it was no ticket
  end
  local there = redis.call('HMGET', data, 'a', 'w' .. ticket, 'r' .. own)
  if there[3] and string.match(there[3], '^%d+') == number then -- else another was drawn for the same request
    redis.call('HDEL', data, 'r' .. own)
  end
  strike('a', there[1], own)
  announce(ticket, there[2])
  local session = owner(ticket)
  if session ~= me then
    tell(session, 'd' .. ticket)
  end
end

-- A ticket of this number is not wanted any more. Returns 1 if it was there.
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
