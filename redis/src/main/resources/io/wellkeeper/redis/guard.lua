-- How long it takes until nobody relies any more upon a session that the server has forgotten.
-- Fields in the last of KEYS: 'run', the run of the server in which a session was last begun; 'guard', the end of a
-- guard that does not follow from how long the server has been up; 'beat', when a session was last begun or renewed.
-- Both times are by the server's clock.

-- The server's run, and for how many milliseconds it has been up at least; nothing if it does not say.
local function running()
  local info = redis.pcall('INFO', 'server')
  if type(info) == 'string' then
    local run, up = string.match(info, 'run_id:(%w+)'), string.match(info, 'uptime_in_seconds:(-?%d+)')
    return run, up and (up - 1) * 1000 -- the server counts whole seconds
  end
end

-- Whether the server has read its data from a log of all changes, and from no snapshot.
local function logged()
  local info = redis.pcall('INFO', 'persistence')
  return type(info) == 'string' and string.find(info, 'aof_enabled:1', 1, true)
    and string.find(info, 'aof_last_rewrite_time_sec:-1', 1, true) -- otherwise the log may have been begun since
    and string.find(info, 'aof_rewrite_in_progress:0', 1, true)
    and string.find(info, 'aof_rewrite_scheduled:0', 1, true)
end

-- Returns the milliseconds for which no session may begin yet; the server's run; and 1 if the server does not say how
-- long it has been up, and so is not guarded. The server may have forgotten sessions if no session is left and the
-- server was started after a session was last begun. It has forgotten sessions if the asker says so; from then on no
-- session begins, even if others have begun before the asker said it. timeout: of a session. forgotten: for how long a
-- forgotten session that the asker knows of may still be relied upon. beat: when the asker's last session was last
-- renewed, by the server's clock; 0 if the asker does not know. A log that has this renewal goes on to the end of the
-- former run, except for its last moments; a session that was renewed in these moments had also been renewed a quarter
-- of its timeout before.
local function guarded(timeout, forgotten, beat)
  local none = redis.call('EXISTS', sessions) == 0
  local run, up = running()
  local there = redis.call('HMGET', sequences, 'run', 'guard', 'beat')
  local begun = tonumber(there[2]) or 0
  local ends = math.max(begun, forgotten > 0 and now + forgotten or 0)
  local starts = 0
  local isSetBack = up and up < -1000 and begun > 0 -- the clock; then it was seen before, and counts from there
  if none and up and run ~= there[1] and not isSetBack then
    starts = now + timeout - up
    local last = tonumber(there[3]) or 0
    if starts > now and beat > 0 and last >= beat and logged() then
      starts = math.min(starts, last + timeout * 5 / 4)
    end
    if up < -1000 then
      ends = math.max(ends, starts)
    end
  end
  ends = math.min(ends, now + timeout + 1000)
  if ends > now then
    redis.call('HSET', sequences, 'guard', text(ends))
  end
  local wait = math.max(ends, math.min(starts, now + timeout + 1000)) - now
  if wait <= 0 then
    return 0, run, none and not up and 1 or 0
  end
  return wait, run, 0
end
