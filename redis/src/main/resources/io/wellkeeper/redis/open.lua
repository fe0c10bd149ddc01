-- Begins a session. ARGV: me, channels, milliseconds of its lease, how long idle keys are kept, 1 to guard a restart.
-- Returns its deadline.
-- Returns nothing if the server has no data and has not been up for as long as a session lasts: it may have lost its data,
-- and the owners of sessions of before may not know it.
if ARGV[5] == '1' and redis.call('EXISTS', sessions, sequences) == 0 then
  local info = redis.pcall('INFO', 'server')
  local up = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')
  if up and (up - 1) * 1000 < tonumber(ARGV[3]) then
    return {}
  end
end
if redis.call('EXISTS', sessions) == 0 then -- what is known of sessions that have ended goes
  local last = redis.call('HGET', sequences, 'last') or '0'
  redis.call('DEL', sequences)
  redis.call('HSET', sequences, 'last', last)
end
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
redis.call('PEXPIRE', sequences, ARGV[4])
outlast()
return { deadline }
