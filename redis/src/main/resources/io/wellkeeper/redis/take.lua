-- Takes the next number and shows everything ahead of it; before that, perhaps gives another ticket back.
-- ARGV: me, channels, name, request, sequence number, mode and permits, metadata, how long idle keys are kept; perhaps
-- the ticket to be given back, and its number.
-- Returns the ticket; the ticket that is watched from now on, with the milliseconds left to its session; the tickets
-- ahead in one text, with a space between them; and 1 if the ticket to be given back was there.
-- Returns nothing if the session has ended. The returned ticket is empty if this request comes later than another that
-- was sent after it, and its ticket is not there.
local request, sequence, shape, metadata, ttl = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local given = ARGV[9] and give_back(ARGV[9], ARGV[10])
if lease(me) == 0 then
  return {}
end
local own = me .. ':' .. request
local ahead = living()
local shown = table.concat(ahead, ' ')
local last = redis.call('HMGET', sequences, me, 'last')
local isLate = last[1] and tonumber(sequence) <= tonumber(last[1])
if string.find(shown, ':' .. own .. ':', 1, true) then -- a repetition
  if not isLate then -- a take sent before this one may come after the ticket has been removed
    redis.pcall('HSET', sequences, me, sequence) -- the ticket is there even if the server has no memory for this
  end
  local before = {}
  for _, other in ipairs(ahead) do
    if string.find(other, ':' .. own .. ':', 1, true) then
      return { other, {}, table.concat(before, ' '), given }
    end
    before[#before + 1] = other
  end
end
if isLate then
  return { '', {}, '', given } -- a late take, whose ticket has been removed
end
local lately = ahead[#ahead] or ARGV[9] -- if the server has evicted the last number, and its clock was set back
local drawn = math.max((tonumber(last[2]) or 0) + 1, (lately and string.match(lately, '^%d+') or 0) + 1, micros)
if drawn > most then
  return redis.error_reply('NUMBERS of tickets have run out; when nobody uses a lock of this prefix, delete ' .. sequences)
end
local number = text(drawn)
local ticket = number .. ':' .. own .. ':0:' .. shape
redis.call('HSET', data, 'r' .. own, number .. ':' .. metadata)
redis.call('HSET', sequences, me, sequence, 'last', number)
redis.call('ZADD', queue, number, ticket)
if #ahead == 0 or (tonumber(redis.call('ZSCORE', names, ARGV[3]) or 0) - now <= ttl / 2) then
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', data, ttl)
  redis.call('ZADD', names, text(now + ttl), ARGV[3])
  if redis.call('ZCARD', names) == 1 then
    redis.call('PEXPIRE', names, ttl)
  end
end
if #ahead == 0 then
  return { ticket, {}, '', given }
end

-- A session that was alone in the queue, and wants to know of newcomers, is told that it is alone no more.
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

-- A session that has to wait will want to watch the nearest ticket of another session. The watch begins here, without a
-- further request.
local watched = {}
for i = #ahead, 1, -1 do
  local session = owner(ahead[i])
  if session ~= me then
    enlist('w' .. ahead[i], me)
    watched = { ahead[i], lease(session) }
    break
  end
end
return { ticket, watched, shown, given }
