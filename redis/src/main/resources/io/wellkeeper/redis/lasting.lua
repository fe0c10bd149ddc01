-- The beginning, after sessions.lua, of the scripts that change a session.

-- Makes the key of the deadlines vanish with the last session, even if no client is left to see its end.
local function outlast()
  local last = redis.call('ZRANGE', sessions, -1, -1, 'WITHSCORES')[2]
  if last then
    redis.call('PEXPIREAT', sessions, last)
  end
end
