-- What those scripts begin with, after sessions.lua, that change a session.

-- The deadlines vanish with the last session, even if nobody is left to see it.
local function outlast()
  local last = redis.call('ZRANGE', sessions, -1, -1, 'WITHSCORES')[2]
  if last then
    redis.call('PEXPIREAT', sessions, last)
  end
end
