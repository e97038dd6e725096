import { eventually } from '../../harness/eventually.ts';
import type { KillProxy } from '../../harness/network/kill-proxy.ts';
import type { Lane } from '../lane/lane.ts';
import { openProxiedLane } from '../lane/proxied-lane.ts';

/** An installation whose one process holds the bot's connection and works; it is the one that dies. */
export type ProtectionSetup = { lane: Lane; proxy: KillProxy; botUserId: string };

export const openProtectionSetup = async (): Promise<ProtectionSetup> => {
  const { lane, proxy } = await openProxiedLane({ role: 'all' });
  const [bot] = (await lane.tenant.call('GET', '/api/v1/bots')).body.data;
  return { lane, proxy, botUserId: bot.clientId };
};

/** The process that was started last has taken over the bot's connection. */
export const waitForConnection = ({ lane, botUserId }: ProtectionSetup): Promise<void> =>
  eventually(60_000, async () => {
    const { bots } = await lane.simulator.control('GET', `/gateway?botId=${botUserId}`);
    const sessions: { isConnected: boolean }[] = bots[0]?.sessions ?? [];
    if (!sessions.some(({ isConnected }) => isConnected)) throw new Error('It is not connected');
  });
