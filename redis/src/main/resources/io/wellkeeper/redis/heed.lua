-- Watches the notice. ARGV: me, channels, name, how long idle keys are kept.
enlist('o', me)
if redis.call('HEXISTS', data, 'v') == 0 then
  redis.call('PEXPIRE', data, ARGV[4])
end
return {}
