import { eventually } from '../../harness/eventually.ts';
import type { Lane } from '../lane/lane.ts';
import { countClaims, expireTokens } from '../lane/queries.ts';
import type { PullRecord } from './checks.ts';
import type { Person } from './people.ts';
import { beginPull } from './run.ts';
import type { PullSetup } from './setup.ts';

/** The current member and those who are refreshed ahead. */
const refreshedAtOnce = 5;
/** How long reading the guild takes: long enough to lock the table of bots. */
const lookMs = 2000;

/**
 * A pull whose first members all have to be refreshed: their refreshes are claimed, but the
 * worker cannot read its client yet, so no request was sent.
 */
export const whileRefreshing = async (setup: PullSetup, people: Person[]): Promise<PullRecord> => {
  const { lane, server } = setup;
  const { simulator, db } = lane;
  const first = people.slice(0, refreshedAtOnce).map(({ platformId }) => platformId);
  for (const id of first) {
    await simulator.control('PUT', `/users/${id}`, { tokenState: 'expired' });
  }
  await expireTokens(db, server, first);
  const slow = { match: { method: 'GET', route: '/guilds/:id' }, action: 'delay', ms: lookMs };
  await simulator.control('POST', '/faults', slow);
  const pull = await beginPull(setup);
  await untilLooking(lane);
  const hold = await db.$client.reserve();
  try {
    await hold`begin`;
    await hold`lock table bots in access exclusive mode`;
    await eventually(10_000, async () => {
      const claims = await countClaims(db, server);
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
