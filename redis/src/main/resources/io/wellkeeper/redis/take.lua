-- Takes the next number and shows everything ahead of it.
-- KEYS[5]: the last number that was drawn in this partition.
-- ARGV: me, channels, name, request, sequence number, mode and permits, metadata, how long idle keys are kept.
-- Returns the ticket, the tickets that are watched from now on with the milliseconds left to them, and those ahead.
-- Returns nothing if the session has ended, and one empty text if this is a repetition and the ticket has gone since.
local request, sequence, shape, metadata, ttl = ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
if lease(me) == 0 then
  return {}
end
local own = me .. ':' .. request
local ahead = living()
local last = redis.call('HGET', sequences, me)
if last and tonumber(sequence) <= tonumber(last) then
  local known = redis.call('HGET', data, 'r' .. own)
  if not known then
    return { '' }
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
  return { ticket, {}, before }
end
local known = redis.call('HMGET', data, 'n', 'a')
local number = math.max((tonumber(redis.call('GET', KEYS[5])) or 0) + 1, (tonumber(known[1]) or 0) + 1, micros)
redis.call('SET', KEYS[5], text(number), 'PX', ttl)
redis.call('HSET', sequences, me, sequence)
local ticket = text(number) .. ':' .. own .. ':0:' .. shape
redis.call('ZADD', queue, text(number), ticket)
redis.call('HSET', data, 'n', text(number), 'r' .. own, text(number) .. ':' .. metadata)
redis.call('PEXPIRE', queue, ttl)
redis.call('PEXPIRE', data, ttl)
if redis.call('PTTL', sequences) < 0 then
  outlast()
end
if #ahead == 0 then
  redis.call('ZADD', names, text(now + ttl), ARGV[3])
  redis.call('PEXPIRE', names, ttl)
end

-- Whoever is alone in the queue, but for his own, is told that he is not any more.
if known[2] then
  local kept = ''
  for session, ticketed in string.gmatch(known[2], '(%w+):(%w+)') do
    if session == me then
      kept = kept .. session .. ':' .. ticketed .. ' '
    else
      tell(session, 'a' .. ticketed)
    end
  end
  if kept == '' then
    redis.call('HDEL', data, 'a')
  else
    redis.call('HSET', data, 'a', kept)
  end
end

-- Whoever has to wait will want to watch the two nearest tickets of others: it is done here, and costs no request.
local watched = {}
for i = #ahead, 1, -1 do
  local session = owner(ahead[i])
  if session ~= me then
    enlist('w' .. ahead[i], me)
    watched[#watched + 1] = ahead[i]
    watched[#watched + 1] = lease(session)
    if #watched == 4 then
      break
    end
  end
end
return { ticket, watched, ahead }
