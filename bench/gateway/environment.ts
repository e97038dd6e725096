import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sealCredentials } from '../../apps/server/src/features/bots/credentials/credentials.ts';
import { newId } from '../../apps/server/src/kernel/ids.ts';
import { parseKeyRing } from '../../apps/server/src/kernel/seal.ts';
import { type Bench, startBench } from '../lib/environment.ts';
import { newSnowflake } from '../lib/guilds.ts';
import { type Listener, startListener } from '../lib/processes.ts';
import { type BotRow, countConnected, insertBots } from './queries.ts';

/** One process serves, another one holds the bots: what they cost is told apart. */
export type GatewayBench = Bench & {
  gateway: Listener;
  /** Each in a small server of its own. By SQL: an account may not have so many. */
  addBots(count: number): Promise<BotRow[]>;
  untilConnected(bots: readonly BotRow[]): Promise<void>;
};

const connectedWithinMs = 600_000;

export const startGatewayBench = async (): Promise<GatewayBench> => {
  const bench = await startBench({ ROLE: 'api' });
  const { env, databaseUrl, sql } = bench;
  try {
    const gateway = await startListener('service', {
      ...{ ...env, ROLE: 'gateway', DATABASE_URL: databaseUrl },
    });
    return {
      ...{ ...bench, gateway, addBots: (count) => addBots(bench, count) },
      async stop() {
        await gateway.stop();
        await bench.stop();
      },
      async untilConnected(bots) {
        const [accountId, count] = [bots[0]?.accountId ?? '', bots.length];
        const deadline = Date.now() + connectedWithinMs;
        for (;;) {
          const connected = await countConnected(sql, accountId);
          if (connected === count) return;
          if (Date.now() > deadline) throw new Error(`Only ${connected} of ${count} are connected`);
          await Bun.sleep(250);
        }
      },
    };
  } catch (error) {
    await bench.stop();
    throw error;
  }
};

const addBots = async (bench: Bench, count: number): Promise<BotRow[]> => {
  const keys = await readFile(join(bench.env.DATA_DIR ?? '', 'master.keys'), 'utf8');
  const ring = parseKeyRing(keys.trim());
  const { accountId } = await bench.newTenant();
  const bots: BotRow[] = [];
  for (let made = 0; made < count; made++) {
    const [id, clientId, guildId] = [newId(), newSnowflake(), newSnowflake()];
    const credentials = { botToken: `${btoa(clientId)}.token`, clientSecret: 'secret' };
    const sealed = sealCredentials(ring, { id, accountId }, credentials);
    await bench.simulator.setGuild(guildId, {
      channels: [{ name: 'hall' }, { name: 'deck' }],
      members: [{ user: { id: clientId, bot: true } }],
    });
    bots.push({ id, accountId, clientId, guildId, serverId: newId(), ...sealed });
  }
  await insertBots(bench.sql, bots);
  return bots;
};
