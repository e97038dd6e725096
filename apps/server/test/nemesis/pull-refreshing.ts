import { eventually } from '../eventually.ts';
import type { Lane } from './lane.ts';
import type { Person } from './pull-people.ts';
import type { PullPlace } from './pull-place.ts';
import { beginPull, type PullRecord } from './pull-run.ts';
import { countClaims, expireTokens } from './queries.ts';

/** The one at hand, and those who are refreshed ahead of their turn. */
const refreshedAtOnce = 5;
/** How long the first look at the server takes: long enough to close the door behind it. */
const lookMs = 2000;

/**
 * A pull whose first members all have to be refreshed: their refreshes are claimed, and nobody has told
 * the worker yet as which client to ask for them, so that none is on its way.
 */
export const whileRefreshing = async (place: PullPlace, people: Person[]): Promise<PullRecord> => {
  const { lane, crowd } = place;
  const { simulator, db } = lane;
  const first = people.slice(0, refreshedAtOnce).map(({ platformId }) => platformId);
  for (const id of first) {
    await simulator.control('PUT', `/users/${id}`, { tokenState: 'expired' });
  }
  await expireTokens(db, crowd, first);
  const slow = { match: { method: 'GET', route: '/guilds/:id' }, action: 'delay', ms: lookMs };
  await simulator.control('POST', '/faults', slow);
  const pull = await beginPull(place);
  await untilLooking(lane);
  const hold = await db.$client.reserve();
  try {
    await hold`begin`;
    await hold`lock table bots in access exclusive mode`;
    await eventually(10_000, async () => {
      const claims = await countClaims(db, crowd);
      if (claims < refreshedAtOnce) throw new Error(`Only ${claims} refreshes were begun`);
    });
    lane.worker().kill('SIGSTOP');
  } finally {
    await hold`rollback`;
    hold.release();
  }
  return pull;
};

const untilLooking = (lane: Lane): Promise<void> =>
  eventually(10_000, async () => {
    if ((await lane.readLog()).length === 0) throw new Error('It has not begun');
  });
