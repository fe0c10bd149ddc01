-- How long it takes until nobody relies any more upon a session that the server has forgotten.
-- In the last of KEYS: 'run', the run of the server in which a session was last begun; 'guard', when a guard ends, by the
-- server's clock.

-- The server's run, and for how many milliseconds it has been up at least; nothing if it does not say.
local function running()
  local info = redis.pcall('INFO', 'server')
  if type(info) == 'string' then
    local run, up = string.match(info, 'run_id:(%w+)'), string.match(info, 'uptime_in_seconds:(-?%d+)')
    return run, up and (up - 1) * 1000 -- it counts whole seconds
  end
end

-- Milliseconds for which no session may begin yet; the server's run; and 1 if the server does not say how long it has been
-- up, and so is not guarded. It may have forgotten sessions if none is left and it was started after one began last; it has
-- if the asker says so, and from then on nobody begins, also beside those who came before it was said.
-- timeout: of a session. forgotten: for how long a session may be relied upon that the asker knows of.
local function guarded(timeout, forgotten)
  local none = redis.call('EXISTS', sessions) == 0
  local run, up = running()
  local there = redis.call('HMGET', sequences, 'run', 'guard')
  local begun = tonumber(there[2]) or 0
  local ends = math.max(begun, forgotten > 0 and now + forgotten or 0)
  local isSetBack = up and up < -1000 and begun > 0 -- the clock; then it was seen before, and counts from there
  if none and up and run ~= there[1] and not isSetBack then
    ends = math.max(ends, now + timeout - up)
  end
  if ends <= now then
    return 0, run, none and not up and 1 or 0
  end
  ends = math.min(ends, now + timeout + 1000)
  redis.call('HSET', sequences, 'guard', text(ends))
  return ends - now, run, 0
end
