-- Takes the next number and shows everything ahead of it; before that, perhaps gives another ticket back.
-- ARGV: me, channels, name, request, sequence number, mode and permits, metadata, how long idle keys are kept; perhaps
-- the ticket to be given back, and its number.
-- Returns the ticket, the one that is watched from now on with the milliseconds left to it, and those ahead in one
-- text, with a space between them; and 1 if what was to be given back was there.
-- Returns nothing if the session has ended. The ticket is empty if this is a repetition and it has gone since.
local request, sequence, shape, metadata, ttl = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local given = ARGV[9] and give_back(ARGV[9], ARGV[10])
if lease(me) == 0 then
  return {}
end
local own = me .. ':' .. request
local ahead = living()
local last = redis.call('HMGET', sequences, me, 'last')
if last[1] and tonumber(sequence) <= tonumber(last[1]) then
  local known = redis.call('HGET', data, 'r' .. own)
  if not known then
    return { '', {}, '', given }
  end
  local mine = tonumber(string.match(known, '^%d+'))
  local ticket = redis.call('ZRANGEBYSCORE', queue, text(mine), text(mine))[1]
  local before = {}
  for _, other in ipairs(ahead) do
    if other == ticket then
      break
    end
    before[#before + 1] = other
  end
  return { ticket, {}, table.concat(before, ' '), given }
end
local number = text(math.max((tonumber(last[2]) or 0) + 1, micros))
local ticket = number .. ':' .. own .. ':0:' .. shape
redis.call('HSET', sequences, me, sequence, 'last', number)
redis.call('ZADD', queue, number, ticket)
redis.call('HSET', data, 'r' .. own, number .. ':' .. metadata)
if #ahead == 0 then
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', data, ttl)
  redis.call('ZADD', names, text(now + ttl), ARGV[3])
  if redis.call('ZCARD', names) == 1 then
    redis.call('PEXPIRE', names, ttl)
  end
  return { ticket, {}, '', given }
end

-- Whoever is alone in the queue, but for his own, is told that he is not any more.
local alone = redis.call('HGET', data, 'a')
if alone then
  local kept = ''
  for session, ticketed in string.gmatch(alone, '(%w+):(%w+)') do
    if session == me then
      kept = kept .. session .. ':' .. ticketed .. ' '
    else
      tell(session, 'a' .. ticketed)
    end
  end
  if kept == '' then
    redis.call('HDEL', data, 'a')
  elseif kept ~= alone then
    redis.call('HSET', data, 'a', kept)
  end
end

-- Whoever has to wait will want to watch the nearest ticket of others: it is done here, and costs no request.
local watched = {}
for i = #ahead, 1, -1 do
  local session = owner(ahead[i])
  if session ~= me then
    enlist('w' .. ahead[i], me)
    watched = { ahead[i], lease(session) }
    break
  end
end
return { ticket, watched, table.concat(ahead, ' '), given }
