-- Watches the notice no more. ARGV: me, channels, name.
strike('o', redis.call('HGET', data, 'o'), me)
return {}
