import { type Changes, createChanges } from './changes.ts';
import type { Community } from './community.ts';
import type { Installation } from './installation.ts';
import { createNewcomers, type Newcomers } from './newcomers.ts';
import { createPayments, type Payments } from './payments.ts';
import type { Protocol } from './protocol.ts';
import { recoverOnce } from './recoveries.ts';

type Actors = { changes: Changes; newcomers: Newcomers; payments: Payments };

/** Long enough that two cores are busy by half, so that what is measured is the service and no queue. */
const pauseMs = { read: 200, change: 300, newcomer: 1000, payment: 1500, recovery: 1000 };

/** All that people do with a community, over and over until it is told to end. */
export const startLoad = (
  installation: Installation,
  communities: readonly Community[],
  protocol: Protocol,
) => {
  let isOver = false;
  const running: Promise<void>[] = [];
  const repeat = (pause: number, what: string, act: () => Promise<unknown>): void => {
    const run = async () => {
      while (!isOver) {
        await act().catch((error: unknown) => protocol.violate(`${what} broke off: ${error}`));
        await Bun.sleep(pause);
      }
    };
    running.push(run());
  };
  const actors = communities.map((community): Actors => {
    const { client, account, openServerId } = community;
    const changes = createChanges(community, protocol);
    const open = { client, serverId: openServerId };
    const newcomers = createNewcomers(installation, open, protocol);
    const payments = createPayments({ client, accountId: account.accountId }, protocol);
    repeat(pauseMs.change, 'a change', changes.changeOnce);
    repeat(pauseMs.newcomer, 'a verification', newcomers.comeOnce);
    repeat(pauseMs.payment, 'a payment', payments.payOnce);
    repeat(pauseMs.recovery, 'a recovery', () => recoverOnce(community, protocol));
    const read = createReader(community);
    repeat(pauseMs.read, 'a read', read);
    return { changes, newcomers, payments };
  });
  return {
    async end(): Promise<Actors[]> {
      isOver = true;
      await Promise.all(running);
      return actors;
    },
  };
};

const createReader = ({ client, serverId }: Community) => {
  const paths = ['/account', '/servers', `/servers/${serverId}/members`, '/audit', '/keys'];
  let turn = 0;
  return async (): Promise<void> => {
    const path = paths[turn++ % paths.length];
    const { status, text } = await client.call('GET', `/api/v1${path}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  };
};
