-- Keeps the keys of a queue for longer; never for less time, because others may come again later than the asker.
-- ARGV: me, channels, name, how long idle keys are kept.
for _, key in ipairs({ queue, data }) do
  local left = redis.call('PTTL', key)
  if left > 0 and left < tonumber(ARGV[4]) then
    redis.call('PEXPIRE', key, ARGV[4])
  end
end
redis.call('ZADD', names, 'XX', 'GT', text(now + ARGV[4]), ARGV[3])
return {}
