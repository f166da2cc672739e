// Clients with lock libraries, driven line by line on standard input:
//
//   -> {"id": 7, "client": "a", "method": "open", "args": ["redlock", 6379]}
//   -> {"id": 8, "client": "a", "method": "acquire", "args": [5000, "lock:a"]}
//   <- {"id": 8, "value": "..."}  or  {"id": 8, "error": "..."}
//
// Calls of different clients do not wait for each other. "cut" takes a client's
// connections away, as the death of its process does. This one ends with its
// input.
import readline from 'node:readline'
import Redis from 'ioredis'

const libraries = { redlock, redlock4, mutex, semaphore, multi, bullmq }
const clients = new Map()

async function redlock(redis) {
  const { default: Redlock } = await import('redlock')
  const locker = new Redlock([redis], { retryCount: 0 })
  locker.on('error', () => {})
  let lock
  let stop
  return {
    acquire: async (ms, ...keys) => (lock = await locker.acquire(keys, ms)).value,
    extend: async ms => { lock = await lock.extend(ms) },
    release: () => lock.release(),
    // A routine under a lock that the library extends by itself, half a second
    // after each time.
    using: (ms, ...keys) => new Promise((begun, failed) => {
      locker.using(keys, ms, { automaticExtensionThreshold: ms - 500 },
        () => new Promise(end => { stop = end; begun() })).catch(failed)
    }),
    end: () => stop(),
  }
}

async function redlock4(redis) {
  const { default: Redlock } = await import('redlock4')
  const locker = new Redlock([redis], { retryCount: 0 })
  locker.on('clientError', () => {})
  let lock
  return {
    acquire: async (ms, ...keys) => (lock = await locker.lock(keys, ms)).value,
    extend: async ms => { lock = await lock.extend(ms) },
    release: () => lock.unlock(),
  }
}

// The three of redis-semaphore. Who gets the lock is told as whom.
async function holder(make) {
  const lib = await import('redis-semaphore')
  let lock
  return {
    acquire: async (ms, refresh, key, ...rest) => {
      const options = { lockTimeout: ms, refreshInterval: refresh, acquireAttemptsLimit: 1, onLockLost: () => {} }
      lock = make(lib.default ?? lib, key, rest, options)
      if (!await lock.tryAcquire()) throw new Error('refused')
      return lock.identifier
    },
    release: () => lock.release(),
  }
}

function mutex(redis) { return holder((lib, key, _, o) => new lib.Mutex(redis, key, o)) }
function semaphore(redis) { return holder((lib, key, [limit], o) => new lib.Semaphore(redis, key, limit, o)) }
function multi(redis) { return holder((lib, key, [limit, permits], o) => new lib.MultiSemaphore(redis, key, limit, permits, o)) }

async function bullmq(redis) {
  const { Queue, Worker } = await import('bullmq')
  let end
  const done = new Promise(resolve => { end = resolve })
  return {
    add: async queue => (await new Queue(queue, { connection: redis }).add('job', {})).id,
    // A worker whose job goes on until it is told to end. The answer is the job's token.
    work: (queue, ms, renew) => new Promise(taken => {
      const worker = new Worker(queue, async (_, token) => { taken(token); await done }, {
        connection: redis.duplicate(), lockDuration: ms, lockRenewTime: renew, stalledInterval: 60000,
      })
      worker.on('error', () => {})
    }),
    end: () => end(),
  }
}

async function open(name, library, port) {
  const redis = new Redis({ port, host: '127.0.0.1', maxRetriesPerRequest: null })
  redis.on('error', () => {})
  await redis.ping()
  clients.set(name, { ...await libraries[library](redis), cut: () => redis.disconnect() })
}

async function answer({ id, client, method, args }) {
  try {
    const value = await (method === 'open' ? open(client, ...args) : clients.get(client)[method](...args))
    return { id, value: typeof value === 'string' ? value : '' }
  } catch (err) {
    return { id, error: String(err?.message ?? err) }
  }
}

process.on('unhandledRejection', err => process.stderr.write(`${err?.stack ?? err}\n`))
readline.createInterface({ input: process.stdin })
  .on('line', async line => process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + '\n'))
  .on('close', () => process.exit(0))
