-- Makes a session live longer, if it lives; and ends all sessions whose time is up.
-- KEYS[2]: as KEYS[4] of queue.lua. ARGV: me, channels, milliseconds of the lease, how long idle keys are kept.
-- Returns the previous deadline and the new one; nothing if the session has ended.
-- The next command comes first, because then a server without memory carries out the rest, too.
redis.call('PEXPIRE', sequences, math.max(redis.call('PTTL', sequences), ARGV[4]))
for _, session in ipairs(redis.call('ZRANGEBYSCORE', sessions, '-inf', text(now))) do
  lease(session)
end
local left = lease(me)
if left == 0 then
  return {}
end
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
redis.call('HSET', sequences, 'beat', text(now))
redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[2]), ARGV[4]))
outlast()
return { text(now + left), deadline }
