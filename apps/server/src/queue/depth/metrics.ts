import { Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../../db/connect.ts';
import { resultWithin } from '../../kernel/deadline.ts';
import { type QueueDepth, readQueueDepth } from './queries.ts';

/** However often and by how many somebody asks for the metrics, the database is asked once in this time. */
const rememberMs = 5000;
/** A scraper waits ten seconds by default; without an answer the other metrics are still shown. */
const answerWithinMs = 3000;

/** Gauges of all queues together, which a worker reads from the database when somebody asks for them. */
export const observeQueue = (registry: Registry, db: Queryable, queues: string[]): void => {
  const read = rememberFor(rememberMs, () =>
    resultWithin(answerWithinMs, readQueueDepth(db, queues), undefined),
  );
  const addGauge = <Label extends string>(
    gauge: { name: string; help: string; labelNames: Label[] },
    fill: (gauge: Gauge<Label>, depth: QueueDepth) => void,
  ) =>
    new Gauge({
      ...gauge,
      registers: [registry],
      async collect() {
        const depth = await read();
        // Rather nothing than a number of an hour ago.
        this.reset();
        // Without labels there is one series, which a reset leaves at 0.
        if (gauge.labelNames.length === 0) this.remove();
        if (depth) fill(this, depth);
      },
    });
  addGauge(
    {
      name: 'holdfast_queue_jobs',
      help: 'Jobs of a queue: due and not taken, running, given up',
      labelNames: ['queue', 'state'],
    },
    (gauge, { queues: all }) => {
      for (const { name, ready, active, failed } of all) {
        gauge.set({ queue: name, state: 'ready' }, ready);
        gauge.set({ queue: name, state: 'active' }, active);
        gauge.set({ queue: name, state: 'failed' }, failed);
      }
    },
  );
  addGauge(
    {
      name: 'holdfast_queue_oldest_seconds',
      help: 'How long the oldest job that is due has not been taken',
      labelNames: ['queue'],
    },
    (gauge, { queues: all }) => {
      for (const { name, oldestSeconds } of all) gauge.set({ queue: name }, oldestSeconds);
    },
  );
  addGauge(
    {
      name: 'holdfast_queue_leases',
      help: 'Long jobs: held by a worker, waiting for one, or held by one that renews no more',
      labelNames: ['state'],
    },
    (gauge, { leases }) => {
      for (const [state, count] of Object.entries(leases)) gauge.set({ state }, count);
    },
  );
  addGauge(
    {
      name: 'holdfast_queue_schedule_age_seconds',
      help: 'How long ago a worker looked for scheduled jobs that are due',
      labelNames: [],
    },
    (gauge, { scheduleAgeSeconds }) => {
      if (scheduleAgeSeconds !== null) gauge.set(scheduleAgeSeconds);
    },
  );
};

/** The same answer for everybody who asks within `ms`. */
const rememberFor = <Answer>(ms: number, ask: () => Promise<Answer>): (() => Promise<Answer>) => {
  let asked: { at: number; answer: Promise<Answer> } | undefined;
  return () => {
    if (!asked || performance.now() - asked.at > ms)
      asked = { at: performance.now(), answer: ask() };
    return asked.answer;
  };
};
