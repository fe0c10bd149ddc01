-- The beginning of take.lua: the usual case in fewer steps. The next ticket of a session replaces its former one, which
-- is the only ticket in the queue. No session has to be told, and the keys, which do not vanish in between, expire late
-- enough. This shares no functions with the parts behind it: a script makes all its functions anew whenever it runs,
-- and the usual case saves that.
if ARGV[9] and string.find(ARGV[9], ':' .. ARGV[1] .. ':', 1, true) then
  local call = redis.call
  local first = call('ZRANGE', KEYS[2], 0, 1)
  if first[1] == ARGV[9] and not first[2] and call('HLEN', KEYS[3]) == 1 then
    local clock = call('TIME')
    local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
    local deadline = call('ZSCORE', KEYS[1], ARGV[1])
    local kept = call('ZSCORE', KEYS[4], ARGV[3])
    local last = call('HMGET', KEYS[5], ARGV[1], 'last')
    local isNew = not last[1] or tonumber(ARGV[5]) > tonumber(last[1])
    local number = math.max((tonumber(last[2]) or 0) + 1, ARGV[10] + 1, clock[1] * 1000000 + clock[2])
    if isNew and number <= most and deadline and deadline - now > 0 and kept and kept - now > ARGV[8] / 2 then
      local own = ARGV[1] .. ':' .. ARGV[4]
      local text = string.format('%.0f', number)
      local ticket = text .. ':' .. own .. ':0:' .. ARGV[6]
      call('HSET', KEYS[5], ARGV[1], ARGV[5], 'last', text)
      call('ZADD', KEYS[2], text, ticket)
      call('ZREM', KEYS[2], ARGV[9])
      call('HSET', KEYS[3], 'r' .. own, text .. ':' .. ARGV[7])
      local former = string.match(ARGV[9], '^%d+:(%w+:%w+)')
      if former ~= own then -- the same request may have another ticket drawn
        call('HDEL', KEYS[3], 'r' .. former)
      end
      return { ticket, {}, '', 1 }
    end
  end
end
