-- Release a lease, if it is still ours.
--
-- KEYS[1]  the lock
-- ARGV[1]  owner token of the acquisition
--
-- Returns 1 when the lock was ours and is gone, 0 when it was not: it ended
-- before, and another holder's lock was left alone. 0 at the end of a job means
-- that the job ran past its lease for some time.
--
-- Reading and deleting must be one step. A DEL without the comparison deletes
-- the lock of whoever came next.

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
