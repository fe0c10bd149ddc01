-- Watches the notice. ARGV: me, channels, name, how long idle keys are kept, sequence number.
if late(ARGV[5]) then
  return {}
end
enlist('o', me)
redis.call('HSET', sequences, me, ARGV[5])
if redis.call('HEXISTS', data, 'v') == 0 then
  redis.call('PEXPIRE', data, math.max(redis.call('PTTL', data), ARGV[4]))
end
return {}
