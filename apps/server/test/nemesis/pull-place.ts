import type { KeyRing } from '../../src/kernel/seal.ts';
import { type CrowdPlace, readRing } from '../crowd.ts';
import { type KillProxy, startKillProxy } from './kill-proxy.ts';
import { type Lane, openLane } from './lane.ts';

/**
 * An installation that reaches its platform through a proxy, which sees every call, refused ones as
 * well; the simulator's own faults tell only of those that took effect.
 */
export type PullPlace = {
  lane: Lane;
  proxy: KillProxy;
  ring: KeyRing;
  crowd: CrowdPlace;
  /** Given to everybody who is called. */
  roleId: string;
};

export const openPullPlace = async (): Promise<PullPlace> => {
  const between = Promise.withResolvers<KillProxy>();
  const lane = await openLane({}, (target) => {
    const proxy = startKillProxy({ target });
    between.resolve(proxy);
    return proxy.endpoint;
  });
  const proxy = await between.promise;
  const close = async () => {
    await lane.close();
    await proxy.stop();
  };
  const { tenant: owner, serverId, guildId } = lane;
  const [bot] = (await owner.call('GET', '/api/v1/bots')).body.data;
  return {
    lane: { ...lane, close },
    proxy,
    ring: await readRing(lane.dataDir),
    crowd: { owner, serverId, guildId, botId: bot.id, clientId: bot.clientId },
    roleId: lane.whole.roles.find(({ name }) => name === 'Deckhand')?.id ?? '',
  };
};
