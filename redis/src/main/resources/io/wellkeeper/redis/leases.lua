-- The beginning, after sessions.lua, of the scripts that ask which sessions live.
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
local leases = {}

-- The milliseconds that are left of a session; 0 if the session has ended, and then it stays ended, whatever the clock
-- does later. A session that ends here is told so, in case its owner is still there.
local function lease(session)
  local left = leases[session]
  if not left then
    local deadline = redis.call('ZSCORE', sessions, session)
    left = deadline and tonumber(deadline) - now or 0
    if left <= 0 then
      left = 0
      if deadline then
        redis.call('ZREM', sessions, session)
        redis.call('HDEL', sequences, session)
        -- if publishing is not allowed, the asker must not lose its own session by that
        redis.pcall(publish, channels .. session, 'x')
      end
    end
    leases[session] = left
  end
  return left
end
