import { openEvents } from '../../src/main/live-pages.ts';

type Events = ReturnType<typeof openEvents>;
type EventsDependencies = Parameters<typeof openEvents>[1];

export type EventOptions = Pick<EventsDependencies, 'limits' | 'times' | 'listenTimes'>;

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
