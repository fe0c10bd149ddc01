-- Begins a session. ARGV: me, channels, milliseconds of its lease, how long idle keys are kept; and, to guard against
-- forgotten sessions, for how many milliseconds a forgotten session that the asker knows of may still be relied upon,
-- and when the asker's last session was last renewed.
-- Returns its deadline, and 1 if there is no guard because the server does not say how long it has been up. Without a
-- deadline: how many milliseconds it takes until a session may begin.
tell(me, 'p') -- a user that may not publish is refused here, and not when the script has begun to change data
local wait, run, unsure = 0, nil, 0
if ARGV[5] then
  wait, run, unsure = guarded(tonumber(ARGV[3]), tonumber(ARGV[5]), tonumber(ARGV[6]))
end
if wait > 0 then
  redis.call('PEXPIRE', sequences, ARGV[4])
  return { '', wait }
end
if redis.call('EXISTS', sessions) == 0 then -- the data of sessions that have ended is deleted
  local last = redis.call('HGET', sequences, 'last') or '0'
  redis.call('DEL', sequences)
  redis.call('HSET', sequences, 'last', last)
end
if run then
  redis.call('HSET', sequences, 'run', run)
end
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
redis.call('HSET', sequences, 'beat', text(now))
redis.call('PEXPIRE', sequences, math.max(redis.call('PTTL', sequences), ARGV[4]))
outlast()
return { deadline, unsure }
