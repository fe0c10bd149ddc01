-- Puts up another notice. ARGV: me, channels, name, the version seen, text, a word for this post, how long idle keys
-- are kept. Returns 1 if it is up, 0 if there has been another since. It is sent to the sessions that watch the notice.
local seen, notice, post, ttl = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local there = redis.call('HMGET', data, 'v', 'p', 'o', 'k')
if there[2] == post then
  return { 1 }
end
if (there[1] or '0') ~= seen then
  return { 0 }
end
local number = math.max(tonumber(seen) + 1, micros)
if number > most then
  return redis.error_reply('NUMBERS of notices have run out; when nobody uses a lock of this name, delete ' .. data)
end
if there[3] then
  tell(me, 'p') -- a user that may not publish is refused here, before a change of which nobody would hear
end
local version = text(number)
redis.call('HSET', data, 'v', version, 'p', post)
if notice == '' then
  if redis.call('PTTL', data) == -1 then
    redis.call('HSET', data, 'k', '1')
  end
  redis.call('HDEL', data, 't')
  redis.call('PEXPIRE', data, math.max(redis.call('PTTL', data), ttl))
else
  redis.call('HSET', data, 't', notice)
  if (not there[1] or there[4]) and redis.call('EXISTS', queue) == 0 then
    redis.call('PERSIST', data) -- without a ticket ever, it stays
  end
end
if there[3] then
  local kept = ''
  for session in string.gmatch(there[3], '%w+') do
    if lease(session) > 0 then
      kept = kept .. session .. ' '
      tell(session, 'n' .. version .. ':' .. #notice .. ':' .. notice .. ARGV[3])
    end
  end
  if kept == '' then
    redis.call('HDEL', data, 'o')
  elseif kept ~= there[3] then
    redis.call('HSET', data, 'o', kept)
  end
end
return { 1 }
