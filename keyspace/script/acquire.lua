-- Acquire a lease and draw its fencing token, in one step.
--
-- KEYS[1]  the lock            lock:invoice:42
-- KEYS[2]  its fence counter   lock:invoice:42:fence
--          On a cluster both need one hash tag: lock:{invoice:42}.
-- ARGV[1]  owner token: random, new for each attempt. It identifies, it
--          orders nothing.
-- ARGV[2]  time to live in milliseconds, above zero
--
-- Returns the fencing token, which grows with each acquisition, or 0 when
-- somebody holds the lock. Hand it to the protected resource with every write;
-- the resource must refuse what is lower than the highest it has seen. Without
-- that check the lease alone keeps nobody out: it ends by itself while its
-- holder goes on.
--
-- The counter is raised before the lock is set, so that an error can only leave
-- a gap in the numbers, never a lock without one. It must outlive the lock:
-- give it no time to live, and keep it out of reach of eviction. A counter that
-- was lost begins again at 1, and the resource then refuses every new holder,
-- which is the safe side.
--
-- Without a fence the same is: SET lock token NX PX ttl

if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
local fence = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return fence
