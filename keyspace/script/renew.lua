-- Renew a lease, if it is still ours.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner token of the acquisition
-- ARGV[2]  time to live from now on, in milliseconds, above zero
--
-- Returns 1 when the lease now ends ARGV[2] milliseconds from here, 0 when it is
-- not ours any more. On 0 stop the work: somebody else may already be doing it.
-- No answer (a timeout) is not 1 either: count from when the request was sent.
--
-- Reading and renewing must be one step. Apart, the lease could end between
-- them, and the renewal would prolong the next holder's. And it is never SET: a
-- SET would bring back a lease that is gone.

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
