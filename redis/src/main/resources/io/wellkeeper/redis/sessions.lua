-- The beginning of the scripts of the ticket store.
-- KEYS[1]: a sorted set, session -> deadline in milliseconds of the server's clock.
-- The last of KEYS: a hash, session -> the sequence number of its last take, or of the last watch that it began, in
-- this partition; and 'last' -> the last number that was drawn.
-- ARGV[1]: the session that asks. ARGV[2]: the beginning of the names of the sessions' channels; if it has a hash tag,
-- the channels are a Cluster's, in the same slot.
local sessions, sequences = KEYS[1], KEYS[#KEYS]
local me, channels = ARGV[1], ARGV[2]
local publish = string.find(channels, '{', 1, true) and 'SPUBLISH' or 'PUBLISH'

local function tell(session, what)
  redis.call(publish, channels .. session, what)
end

-- The session of a ticket, which is 'number:session:request:generation:mode:permits'. The id of a session has 13
-- characters. Another word in a queue, put there by another program, belongs to no session.
local function owner(ticket)
  local colon = string.find(ticket, ':', 1, true)
  return colon and string.sub(ticket, colon + 1, colon + 13) or ''
end

local function text(number)
  return string.format('%.0f', number)
end
