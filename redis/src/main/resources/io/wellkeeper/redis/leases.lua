-- What those scripts begin with, after sessions.lua, that ask who lives.
local clock = redis.call('TIME')
local micros = clock[1] * 1000000 + clock[2]
local now = math.floor(micros / 1000)
local leases = {}

-- Milliseconds that are left of a session; 0 if it has ended, and then for good, whatever the clock does later. Should
-- its owner be there still, it is told.
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
        redis.pcall(publish, channels .. session, 'x') -- if it is not allowed, that must not cost the asker his own session
      end
    end
    leases[session] = left
  end
  return left
end
