-- What those scripts of one queue begin with that look at all of it.

-- The tickets of living sessions, smallest number first. Those of ended sessions depart. Not to be called for a session that
-- has ended itself: a server that has lost sessions must not let their tickets depart by that.
local function living()
  local found = {}
  local all = redis.call('ZRANGE', queue, 0, -1)
  for _, ticket in ipairs(all) do
    if lease(owner(ticket)) > 0 then
      found[#found + 1] = ticket
    else
      redis.call('ZREM', queue, ticket)
      departed(ticket)
    end
  end
  if #all > 0 and #found == 0 then
    redis.call('ZREM', names, ARGV[3])
  end
  return found
end
