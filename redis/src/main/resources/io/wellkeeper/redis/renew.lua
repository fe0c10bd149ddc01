-- Makes a session live longer, if it lives; and ends all whose time is up.
-- KEYS[2]: as KEYS[5] of take.lua. ARGV: me, channels, milliseconds of the lease, how long idle keys are kept.
-- Returns its previous deadline and the new one; nothing if it has ended.
for _, session in ipairs(redis.call('ZRANGEBYSCORE', sessions, '-inf', text(now))) do
  lease(session)
end
local left = lease(me)
if left == 0 then
  return {}
end
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
redis.call('PEXPIRE', sessions, ARGV[4])
if redis.call('HLEN', KEYS[2]) > 2 * redis.call('ZCARD', sessions) + 64 then
  for _, session in ipairs(redis.call('HKEYS', KEYS[2])) do
    if lease(session) == 0 then
      redis.call('HDEL', KEYS[2], session)
    end
  end
end
return { text(now + left), deadline }
