import type { Database } from '../../src/db/connect.ts';
import { createServer } from '../harness/bots-and-servers.ts';
import { eventually } from '../harness/eventually.ts';
import { addManyMembers, readRing } from '../harness/pulls/many-members.ts';
import { type CreatedKey, createKey } from '../harness/running-service.ts';
import { randomPlatformId } from '../harness/service.ts';
import { type GuildState, growGuild } from '../nemesis/guild/guild.ts';
import { type Client, createClient } from './client.ts';
import type { Installation } from './installation.ts';
import type { Protocol } from './protocol.ts';

/** An account with one server, whose members agreed to be called back. */
export type Community = {
  /** Its number on the platform. */
  nth: number;
  account: CreatedKey;
  client: Client;
  serverId: string;
  /** Another server, to which newcomers come. */
  openServerId: string;
  /** The guild with all its people. */
  whole: GuildState;
  /** Whose tokens the service holds. */
  pullable: string[];
  readGuild(): Promise<GuildState>;
  putGuild(state: GuildState): Promise<unknown>;
};

const pullableMembers = 40;

type Tools = { installation: Installation; db: Database; protocol: Protocol };

export const createCommunity = async (tools: Tools, nth: number): Promise<Community> => {
  const { installation, db, protocol } = tools;
  const { simulator, postgres, dataDir } = installation;
  const account = await createKey(postgres.url);
  const client = createClient(installation, account.key, protocol);
  const owner = { ...account, call: client.call };
  const guildId = randomPlatformId();
  const readGuild = () => simulator.control('GET', `/guilds/${guildId}`);
  const putGuild = (state: GuildState) => simulator.control('PUT', `/guilds/${guildId}`, state);
  await putGuild(growGuild(await readGuild(), nth));
  const serverId = await createServer(owner, { platformGuildId: guildId });
  const openServerId = await createServer(owner);
  await client.call('PUT', `/api/v1/servers/${openServerId}`, { body: { captchaType: 'NONE' } });
  const [bot] = (await client.call('GET', '/api/v1/bots')).body.data;
  const server = { owner, serverId, guildId, botId: bot.id, clientId: bot.clientId };
  const ring = await readRing(dataDir);
  const members = await addManyMembers({ db, ring, simulator }, server, pullableMembers);
  const pullable = members.map(({ platformId }) => platformId);
  const people = pullable.map((id) => ({ user: { id }, nick: null, roles: [] }));
  const grown = await eventually(20_000, async () => {
    const state: GuildState = await readGuild();
    const hasBot = state.members.some(({ user }) => user.id === bot.clientId);
    if (!hasBot) throw new Error('The bot has not joined yet');
    return state;
  });
  await putGuild({ ...grown, members: [...grown.members, ...people] });
  const whole = await readGuild();
  return { nth, account, client, serverId, openServerId, whole, pullable, readGuild, putGuild };
};
