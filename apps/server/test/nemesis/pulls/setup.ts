import type { KeyRing } from '../../../src/kernel/seal.ts';
import type { KillProxy } from '../../harness/network/kill-proxy.ts';
import { type PullServer, readRing } from '../../harness/pulls/many-members.ts';
import type { Lane, LaneOptions } from '../lane/lane.ts';
import { openProxiedLane } from '../lane/proxied-lane.ts';

export type PullSetup = {
  lane: Lane;
  proxy: KillProxy;
  ring: KeyRing;
  server: PullServer;
  /** The role that pulled members get. */
  roleId: string;
  /** The role that all of them have in the backup. */
  savedRoleId: string;
  /** How many more pulls it is good for. */
  pullsLeft: number;
};

/** About twenty calls of each pull are refused, and an account may collect 500 refusals in ten minutes. */
const pullsPerAccount = 20;

export const openPullSetup = async (
  options: Pick<LaneOptions, 'databaseUrl'> = {},
): Promise<PullSetup> => {
  const { lane, proxy } = await openProxiedLane(options);
  const { tenant: owner, serverId, guildId } = lane;
  const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
  const roleNamed = (wanted: string) =>
    lane.whole.roles.find(({ name }) => name === wanted)?.id ?? '';
  return {
    lane,
    proxy,
    ring: await readRing(lane.dataDir),
    server: { owner, serverId, guildId, botId: bot.id, clientId: bot.clientId },
    roleId: roleNamed('Deckhand'),
    savedRoleId: roleNamed('Navigator'),
    pullsLeft: pullsPerAccount,
  };
};
