-- Takes a lock, or keeps it, as SET with NX and PX does.
-- KEYS[1]: the lock, a string: its owner.
-- KEYS[2]: a hash beside it: 't' the last token, 'o' the owner that got it, 'm' the owner's metadata, 'w' whether
-- another owner has been refused.
-- ARGV: owner, milliseconds, metadata, how long the hash is kept. Returns the token; nothing if the lock is another
-- owner's.
local owner = ARGV[1]
if not redis.call('SET', KEYS[1], owner, 'NX', 'PX', ARGV[2]) then
  if redis.pcall('GET', KEYS[1]) ~= owner then -- if it is no string, it is another owner's too
    redis.call('HSET', KEYS[2], 'w', '1')
    redis.call('PEXPIRE', KEYS[2], ARGV[4])
    return {}
  end
  prolong(KEYS[1], ARGV[2])
  local known = redis.call('HMGET', KEYS[2], 'o', 't')
  if known[1] == owner then
    return { known[2] }
  end
end

return all_or_nothing(function() -- else the lock would be taken, with no holder, for as long as the lease was to last
  local clock = redis.call('TIME')
  local last = tonumber(redis.call('HGET', KEYS[2], 't') or '0')
  local number = math.max(last + 1, clock[1] * 1000000 + clock[2])
  if number > most then
    redis.call('DEL', KEYS[1])
    return redis.error_reply('NUMBERS of tokens have run out; when nobody uses the lock, delete ' .. KEYS[2])
  end
  local token = string.format('%.0f', number)
  redis.call('HSET', KEYS[2], 't', token, 'o', owner, 'm', ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[4])
  return { token }
end, function()
  redis.call('DEL', KEYS[1])
end)
