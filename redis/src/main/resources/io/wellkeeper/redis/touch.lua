-- Keeps the keys of a queue for longer. ARGV: me, channels, name, how long idle keys are kept.
for _, key in ipairs({ queue, data }) do
  if redis.call('PTTL', key) > 0 then
    redis.call('PEXPIRE', key, ARGV[4])
  end
end
redis.call('ZADD', names, 'XX', text(now + ARGV[4]), ARGV[3])
return {}
