import type { Registry } from 'prom-client';
import type { Database } from '../db/connect.ts';
import { type ChangeAnnouncer, createChangeAnnouncer } from '../db/notify/announce-changes.ts';
import { changesChannel } from '../db/notify/change.ts';
import { followChanges } from '../db/notify/follow-changes.ts';
import type { ListenTimes } from '../db/notify/listen.ts';
import { notify } from '../db/queries.ts';
import { sessions } from '../features/sessions/feature.ts';
import { createEventStreams, type StreamDependencies } from '../http/events/event-streams.ts';
import type { Log } from '../kernel/log.ts';

/** Tells all processes what this one commits. */
export const announceChanges = (db: () => Database): ChangeAnnouncer =>
  createChangeAnnouncer((payload) => notify(db(), changesChannel, payload));

type EventsDependencies = Pick<StreamDependencies, 'limits' | 'times'> & {
  db: Database;
  log: Log;
  metrics: { registry: Registry };
  listenTimes?: ListenTimes;
};

/** The streams of open dashboards, fed by what any process commits. */
export const openEvents = (url: string, dependencies: EventsDependencies) => {
  const { db, log, metrics, limits, times, listenTimes } = dependencies;
  const { registry } = metrics;
  const streams = createEventStreams({
    ...{ log, registry },
    ...(limits && { limits }),
    ...(times && { times }),
    findSignedIn: (owners) => sessions.findSignedIn(db, owners),
  });
  const following = followChanges({
    ...{ url, db, log, onChanges: streams.tell, onMissed: streams.tellAll, onLost: streams.endAll },
    ...(listenTimes && { times: listenTimes }),
  });
  return {
    open: streams.open,
    endStreams: streams.stop,
    isAlive: following.isAlive,
    async stop() {
      streams.stop();
      await following.stop();
    },
  };
};
