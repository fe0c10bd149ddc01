-- Begins a session. KEYS[2]: as KEYS[5] of take.lua.
-- ARGV: me, channels, milliseconds of its lease, 1 to guard a restart. Returns its deadline.
-- Returns nothing if the server has no data and has not been up for as long as a session lasts: it may have lost its data,
-- and the owners of sessions of before may not know it.
if ARGV[4] == '1' and redis.call('EXISTS', sessions, KEYS[2]) == 0 then
  local info = redis.pcall('INFO', 'server')
  local up = type(info) == 'string' and string.match(info, 'uptime_in_seconds:(%d+)')
  if up and (up - 1) * 1000 < tonumber(ARGV[3]) then
    return {}
  end
end
local deadline = text(now + ARGV[3])
redis.call('ZADD', sessions, deadline, me)
outlast()
return { deadline }
