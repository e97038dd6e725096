import type { Database } from '../../src/db/connect.ts';
import type { Change } from '../../src/db/notify/change.ts';
import { announceChanges, openEvents } from '../../src/main/live-pages.ts';

type Events = ReturnType<typeof openEvents>;
type EventsDependencies = Parameters<typeof openEvents>[1];

export type EventOptions = Pick<EventsDependencies, 'limits' | 'times' | 'listenTimes'>;

/** Keeps what is marked as changed, and announces it where there are streams. */
export const collectChanges = (db: () => Database, options: EventOptions | undefined) => {
  const changes: Change[] = [];
  const { announce, flush } = announceChanges(db);
  const onChanged = (change: Change) => {
    changes.push(change);
    if (options) announce(change);
  };
  return { changes, onChanged, flush };
};

/** Tests about other subjects do not pay for a connection that listens. */
const withoutEvents: Events = {
  open(): never {
    throw new Error('This service was started without events');
  },
  isAlive: () => false,
  endStreams: () => undefined,
  stop: async () => undefined,
};

/** Streams of events over that database, where a test asks for them. */
export const startEvents = (
  databaseUrl: string,
  dependencies: Omit<EventsDependencies, keyof EventOptions>,
  options: EventOptions | undefined,
): Events => (options ? openEvents(databaseUrl, { ...dependencies, ...options }) : withoutEvents);
