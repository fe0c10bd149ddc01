-- What the scripts of one queue begin with, after sessions.lua.
-- KEYS[2]: a sorted set, ticket -> number.
-- KEYS[3]: a hash: 'n' the last number drawn for it, 'r<session>:<request>' what is written on a ticket, 'w<ticket>' who watches
--          it, 'a' who wants to know of newcomers; 't' the notice, 'v' its version, 'p' the last post, 'o' who watches it.
-- KEYS[4]: a sorted set, name of a lock in use -> when it may be forgotten.
local queue, data, names = KEYS[2], KEYS[3], KEYS[4]

-- A list of sessions in a field of the hash: each is followed by a space.
local function enlist(field, session)
  local there = redis.call('HGET', data, field) or ''
  if not string.find(there, session .. ' ', 1, true) then
    redis.call('HSET', data, field, there .. session .. ' ')
  end
end

local function strike(field, session)
  local there = redis.call('HGET', data, field)
  if there then
    local rest = string.gsub(there, session .. ' ', '')
    if rest == '' then
      redis.call('HDEL', data, field)
    else
      redis.call('HSET', data, field, rest)
    end
  end
end

-- Tells exactly those who watch a ticket that it is gone.
local function announce(ticket)
  local field = 'w' .. ticket
  local watchers = redis.call('HGET', data, field)
  if watchers then
    redis.call('HDEL', data, field)
    for session in string.gmatch(watchers, '%w+') do
      tell(session, 'd' .. ticket)
    end
  end
end

-- What is to be done when a ticket has left the queue. Its owner is told, unless it was he.
local function departed(ticket)
  local session, request = string.match(ticket, '^%d+:(%w+):(%w+)')
  redis.call('HDEL', data, 'r' .. session .. ':' .. request)
  strike('a', session .. ':' .. request)
  announce(ticket)
  if session ~= me then
    tell(session, 'd' .. ticket)
  end
end

-- The last ticket has left. Unless there is a notice, nothing has to be kept.
local function emptied()
  redis.call('ZREM', names, ARGV[3])
  if redis.call('HLEN', data) == 1 then
    redis.call('DEL', data)
  end
end

-- The tickets of living sessions, smallest number first. Those of ended sessions depart.
local function living()
  local found = {}
  local all = redis.call('ZRANGE', queue, 0, -1)
  for _, ticket in ipairs(all) do
    if lease(owner(ticket)) > 0 then
      found[#found + 1] = ticket
    else
      redis.call('ZREM', queue, ticket)
      departed(ticket)
    end
  end
  if #all > 0 and #found == 0 then
    emptied()
  end
  return found
end
