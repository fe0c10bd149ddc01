-- Votes for an owner. KEYS[1]: the lock, a string: 'owner:sequence'.
-- ARGV: owner, the sequence number of its attempt, milliseconds. Returns 1, or 0 and the owner that has the lock.
local owner, sequence = ARGV[1], ARGV[2]
local there = redis.pcall('GET', KEYS[1])
if there then
  if type(there) ~= 'string' then
    return { 0, 'a key of another type' }
  end
  local holder, last = string.match(there, '^(.*):(%d+)$')
  if holder ~= owner then
    return { 0, holder or there }
  end
  if tonumber(last) > tonumber(sequence) then -- this attempt was given up, and comes late
    return { 0, holder }
  end
end
local left = redis.call('PTTL', KEYS[1]) -- this time never becomes less, because the request may be carried out late
redis.call('SET', KEYS[1], owner .. ':' .. sequence, 'PX', math.max(left, tonumber(ARGV[3])))
return { 1 }
