// Joins several queues on a store: each job goes to its own queue and runs with jobs of its kind.

import type { Queue } from './connect.ts'
import { type QueueName, queueNames, queueOf } from './jobs.ts'

export function joinQueues(queues: Readonly<Record<QueueName, Queue>>): Queue {
  const all = Object.values(queues)
  return {
    store: queues['derived-data'].store,
    // Jobs that one queue accepted when the other did not are added again with the rest, and merged.
    add: async jobs => {
      for (const name of queueNames) {
        const own = jobs.filter(job => queueOf(job.name) === name)
        if (own.length > 0) await queues[name].add(own)
      }
    },
    work: async events => {
      const workers = await Promise.all(all.map(queue => queue.work(events)))
      return { close: async () => void (await Promise.all(workers.map(worker => worker.close()))) }
    },
    close: async () => void (await Promise.all(all.map(queue => queue.close()))),
  }
}
