-- What those scripts begin with that keep a lock for longer.

-- Never for less: the request may be carried out late, when a later one has made it last longer.
local function prolong(lock, milliseconds)
  if redis.call('PTTL', lock) < tonumber(milliseconds) then
    redis.call('PEXPIRE', lock, milliseconds)
  end
end
