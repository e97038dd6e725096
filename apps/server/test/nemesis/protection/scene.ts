import { actAs, type Send } from '../../harness/attacks/act.ts';
import { createServer } from '../../harness/bots-and-servers.ts';
import { eventually } from '../../harness/eventually.ts';
import { memberOf } from '../../harness/pulls/roles.ts';
import { randomPlatformId } from '../../harness/service.ts';
import { type GuildState, growGuild } from '../guild/guild.ts';
import { backUp } from '../lane/calls.ts';
import type { Lane } from '../lane/lane.ts';
import { findWatched } from './queries.ts';
import { type ProtectionSetup, waitForConnection } from './setup.ts';

/** A protected server with a good backup, somebody who will attack it, and somebody honest. */
export type Scene = {
  /** Of this server and its guild. */
  lane: Lane;
  whole: GuildState;
  attackerId: string;
  attacker: Send;
  honest: Send;
};

/** A server of its own for each run: nothing that was done before is remembered against anybody. */
export const openScene = async (setup: ProtectionSetup): Promise<Scene> => {
  await waitForConnection(setup);
  const { simulator, tenant } = setup.lane;
  const guildId = randomPlatformId();
  const path = `/guilds/${guildId}`;
  const readGuild = (): Promise<GuildState> => simulator.control('GET', path);
  const putGuild = (state: GuildState) => simulator.control('PUT', path, state);
  const [attackerId, honestId] = [randomPlatformId(), randomPlatformId()];
  await putGuild(withAdmins(growGuild(await readGuild()), [attackerId, honestId]));
  const serverId = await createServer(tenant, { platformGuildId: guildId });
  const lane: Lane = { ...setup.lane, guildId, serverId, readGuild, putGuild };
  const scene: Scene = {
    ...{ lane, attackerId, whole: await readGuild() },
    attacker: actAs(simulator.apiUrl, attackerId),
    honest: actAs(simulator.apiUrl, honestId),
  };
  await protect(lane);
  await backUp(lane);
  await setTopic(scene);
  await waitUntilQuiet(setup, scene);
  return scene;
};

/** The guild and the server are gone afterwards, so that the next process does not look at them. */
export const closeScene = async ({ lane }: Scene): Promise<void> => {
  await lane.tenant.call('DELETE', `/api/v1/servers/${lane.serverId}`);
  await lane.simulator.control('DELETE', `/guilds/${lane.guildId}`);
};

const withAdmins = (state: GuildState, ids: string[]): GuildState => {
  const roles = ['Admin', 'Regular'].map((name) => idOf(state.roles, name));
  const admins = ids.map((platformId) => ({
    ...memberOf({ id: '', platformId }, { roles }),
    ...{ nick: null, user: { id: platformId, bot: false }, roles: [...roles] },
  }));
  return { ...state, members: [...state.members, ...admins] };
};

const protect = async ({ tenant, serverId }: Lane): Promise<void> => {
  const body = { antiNukeEnabled: true, autoRepair: true };
  const reply = await tenant.call('PUT', `/api/v1/servers/${serverId}/protection`, { body });
  if (reply.status !== 200) throw new Error(`Not protected: ${reply.text}`);
};

type Named = { id: string; name: string; topic?: string | null };

export const idOf = (things: Named[], name: string, topic?: string): string => {
  const found = things.find(
    (thing) => thing.name === name && (topic === undefined || thing.topic === topic),
  );
  if (!found) throw new Error(`The guild has no ${name}`);
  return found.id;
};

export const honestName = 'pier';
export const honestTopic = 'Set after the backup';

/** An honest change that only the audit log knows, to a channel that the attack deletes. */
const setTopic = async ({ whole, honest }: Scene): Promise<void> => {
  const { status } = await honest('PATCH', `/channels/${idOf(whole.channels, 'log')}`, {
    topic: honestTopic,
  });
  if (status !== 200) throw new Error(`The honest change was refused: ${status}`);
};

const quietForMs = 300;

/** What was done so far is heard and judged, and the service calls nobody any more. */
const waitUntilQuiet = async ({ proxy }: ProtectionSetup, { lane }: Scene): Promise<void> => {
  await eventually(30_000, async () => {
    const watched = await findWatched(lane);
    if (!watched?.lastEntryId || !watched.roles || !watched.lastGoodBackupId) {
      throw new Error('The guild is not watched yet');
    }
  });
  for (let before = -1; before !== proxy.seen(); ) {
    before = proxy.seen();
    await Bun.sleep(quietForMs);
  }
};
