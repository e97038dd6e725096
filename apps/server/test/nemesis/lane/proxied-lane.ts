import { type KillProxy, startKillProxy } from '../../harness/network/kill-proxy.ts';
import { type Lane, type LaneOptions, openLane } from './lane.ts';

/**
 * An installation that reaches its platform through a proxy, which sees every call, refused ones as
 * well; the simulator's own faults tell only of those that took effect.
 */
export const openProxiedLane = async (
  options: Omit<LaneOptions, 'detour'> = {},
): Promise<{ lane: Lane; proxy: KillProxy }> => {
  const between = Promise.withResolvers<KillProxy>();
  const detour = (target: string) => {
    const proxy = startKillProxy({ target, isHostKept: false });
    between.resolve(proxy);
    return proxy.endpoint;
  };
  const lane = await openLane({}, { detour, ...options });
  const proxy = await between.promise;
  const close = async () => {
    await lane.close();
    await proxy.stop();
  };
  return { lane: { ...lane, close }, proxy };
};
