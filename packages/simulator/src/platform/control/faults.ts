import { z } from 'zod';
import { isOwnProcess } from './own-process.ts';

const FAULT_MOMENTS = ['before', 'afterApply', 'afterAnswer'] as const;
const FAULT_ACTIONS = ['status', 'delay', 'hang', 'reset', 'kill'] as const;

export const faultSchema = z
  .object({
    match: z.object({
      method: z.string().optional(),
      route: z.string().optional(),
      guildId: z.string().optional(),
    }),
    /** Starts at the nth matching request that reaches this moment, counted from 1. */
    nth: z.int().positive().default(1),
    times: z.int().positive().default(1),
    when: z.enum(FAULT_MOMENTS).default('before'),
    action: z.enum(FAULT_ACTIONS),
    status: z.int().min(100).max(599).optional(),
    body: z.unknown().optional(),
    /** Of the fault's own answer; with an action that lets the request through, of the route's. */
    headers: z.record(z.string().regex(/^[\w-]+$/), z.string()).optional(),
    ms: z.number().nonnegative().optional(),
    pid: z.int().positive().optional(),
  })
  .refine((fault) => fault.action !== 'kill' || fault.pid !== undefined, {
    path: ['pid'],
    message: 'A kill needs the pid.',
  })
  .refine(({ action, pid }) => action !== 'kill' || pid === undefined || isOwnProcess(pid), {
    path: ['pid'],
    message: 'A kill reaches only processes of this Holdfast.',
  });

export type Fault = z.output<typeof faultSchema>;
type FaultMoment = (typeof FAULT_MOMENTS)[number];
type FaultSubject = { method: string; route: string | null; guildId: string | null };

export const createFaults = () => {
  let faults: { fault: Fault; seen: number }[] = [];
  return {
    add: (fault: Fault) => faults.push({ fault, seen: 0 }),
    list: () => faults.map(({ fault, seen }) => ({ ...fault, seen })),
    clear: () => {
      faults = [];
    },
    /** The first fault that is due. Every fault that matches counts the request. */
    due: (when: FaultMoment, subject: FaultSubject): Fault | undefined => {
      let due: Fault | undefined;
      for (const entry of faults) {
        if (entry.fault.when !== when || !isMatch(entry.fault, subject)) continue;
        entry.seen += 1;
        const { nth, times } = entry.fault;
        if (!due && entry.seen >= nth && entry.seen < nth + times) due = entry.fault;
      }
      return due;
    },
  };
};

export type Faults = ReturnType<typeof createFaults>;

/** A process that is gone already is fine. Its pid may have been reused, so it is checked again. */
export const killProcess = (pid: number) => {
  if (!isOwnProcess(pid)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

/**
 * Bun closes the socket without sending a byte if the body's stream fails at once. No reason is
 * given, since Bun would print it.
 */
export const cutConnection = (): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.error() }));

const isMatch = ({ match }: Fault, subject: FaultSubject): boolean => {
  const method = match.method?.toUpperCase();
  if (method && method !== subject.method) return false;
  if (match.guildId && match.guildId !== subject.guildId) return false;
  if (!match.route) return true;
  const route = match.route.replace(/:\w+|\{\w+\}/g, ':id');
  return route === subject.route || route === `${subject.method} ${subject.route}`;
};
