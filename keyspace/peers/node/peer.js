// A client with a lock library, driven line by line on standard input:
//
//   node peer.js LIBRARY PORT
//   -> ["acquire", "lock:a", 5000]
//   <- {"value": "..."}  or  {"error": "..."}
//
// One call is answered before the next is read. The process ends with its input;
// a test that wants a dead holder kills it.
import readline from 'node:readline'
import Redis from 'ioredis'

const libraries = { redlock, redlock4, mutex, semaphore, multi, bullmq }

const [library, port] = process.argv.slice(2)
const redis = new Redis({ port: Number(port), host: '127.0.0.1', maxRetriesPerRequest: null })

async function redlock() {
  const { default: Redlock } = await import('redlock')
  const locker = new Redlock([redis], { retryCount: 0, automaticExtensionThreshold: 500 })
  let lock
  let stop
  return {
    acquire: async (ms, ...keys) => (lock = await locker.acquire(keys, ms)).value,
    extend: async ms => { lock = await lock.extend(ms) },
    release: () => lock.release(),
    // A routine under a lock that the library extends by itself.
    using: (ms, ...keys) => new Promise((begun, failed) => {
      locker.using(keys, ms, { automaticExtensionThreshold: ms - 500 },
        () => new Promise(end => { stop = end; begun() })).catch(failed)
    }),
    end: () => stop(),
  }
}

async function redlock4() {
  const { default: Redlock } = await import('redlock4')
  const locker = new Redlock([redis], { retryCount: 0 })
  let lock
  return {
    acquire: async (ms, ...keys) => (lock = await locker.lock(keys, ms)).value,
    extend: async ms => { lock = await lock.extend(ms) },
    release: () => lock.unlock(),
  }
}

// The three of redis-semaphore. tryAcquire tells who it is when it gets the lock.
async function holder(make) {
  const lib = await import('redis-semaphore')
  const { Mutex, Semaphore, MultiSemaphore } = lib.default ?? lib
  let lock
  return {
    acquire: async (ms, refresh, key, ...rest) => {
      const options = { lockTimeout: ms, refreshInterval: refresh, acquireAttemptsLimit: 1, onLockLost: () => {} }
      lock = make({ Mutex, Semaphore, MultiSemaphore }, key, rest, options)
      if (!await lock.tryAcquire()) throw new Error('refused')
      return lock.identifier
    },
    release: () => lock.release(),
  }
}

function mutex() { return holder((lib, key, _, o) => new lib.Mutex(redis, key, o)) }
function semaphore() { return holder((lib, key, [limit], o) => new lib.Semaphore(redis, key, limit, o)) }
function multi() { return holder((lib, key, [limit, permits], o) => new lib.MultiSemaphore(redis, key, limit, permits, o)) }

async function bullmq() {
  const { Queue, Worker } = await import('bullmq')
  let end
  const ends = { done: new Promise(done => { end = done }) }
  return {
    add: async queue => (await new Queue(queue, { connection: redis }).add('job', {})).id,
    // A worker whose job goes on until it is told to end. The answer is the job's token.
    work: (queue, ms, renew) => new Promise(taken => {
      const worker = new Worker(queue, async (_, token) => { taken(token); await ends.done }, {
        connection: redis.duplicate(), lockDuration: ms, lockRenewTime: renew, stalledInterval: 60000,
      })
      worker.on('error', () => {})
    }),
    end: () => end(),
  }
}

const calls = await libraries[library]()
await redis.ping()
process.stdout.write('{"value":"ready"}\n')
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [method, ...args] = JSON.parse(line)
  let answer
  try {
    answer = { value: await calls[method](...args) ?? '' }
  } catch (err) {
    answer = { error: String(err.message) }
  }
  process.stdout.write(JSON.stringify({ ...answer, value: typeof answer.value === 'string' ? answer.value : '' }) + '\n')
}
process.exit(0)
