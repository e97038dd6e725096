import { findDifferences } from '../nemesis/guild/describe-guild.ts';
import { damageGuild, type GuildState } from '../nemesis/guild/guild.ts';
import type { Community } from './community.ts';
import type { Protocol } from './protocol.ts';

const endings = ['completed', 'partial', 'failed', 'cancelled'];
/** A worker that died is noticed after half a minute; several may die during one job. */
const endsWithinMs = 300_000;
const readEveryMs = 250;

/**
 * Loses the community and brings it back: backs it up, damages it, lets everybody leave, restores it and
 * pulls its members. Whatever was killed meanwhile, the guild has to be as before.
 */
export const recoverOnce = async (community: Community, protocol: Protocol): Promise<void> => {
  const { client, serverId, whole, putGuild } = community;
  const server = `/api/v1/servers/${serverId}`;
  await putGuild(whole);
  const backupId = await runJob(community, protocol, 'backup', {
    path: `${server}/backups`,
    readAt: (id) => `${server}/backups/${id}`,
  });
  await putGuild(without(community.pullable, damageGuild(whole, community.nth)));
  await runJob(community, protocol, 'restore', {
    path: `${server}/backups/${backupId}/restore`,
    readAt: (id) => `/api/v1/restores/${id}`,
  });
  const restored = await community.readGuild();
  const wanted = without(community.pullable, whole);
  for (const difference of findDifferences(wanted, restored)) {
    protocol.violate(`after a restore ${difference}`);
  }
  await runJob(community, protocol, 'pull', {
    path: `${server}/pull`,
    readAt: (id) => `/api/v1/pulls/${id}`,
    judge: ({ results }) => findWrongResults(results, community.pullable.length),
  });
  await checkEverybodyIsBack(community, protocol);
  const { body } = await client.call('GET', `${server}/backups?limit=100`);
  for (const { id } of body.data) await client.call('DELETE', `${server}/backups/${id}`);
};

const without = (ids: string[], state: GuildState): GuildState => ({
  ...state,
  members: state.members.filter(({ user }) => !ids.includes(user.id)),
});

// biome-ignore lint/suspicious/noExplicitAny: a backup, a restore or a pull
type JobRecord = any;

type Job = {
  path: string;
  readAt(id: string): string;
  judge?(record: JobRecord): string | undefined;
};

const runJob = async (
  { client }: Community,
  { count, violate }: Protocol,
  kind: string,
  { path, readAt, judge }: Job,
): Promise<string> => {
  const begun = await client.call('POST', path, { body: {} });
  if (begun.status !== 202) throw new Error(`No ${kind}: ${begun.status} ${begun.text}`);
  const { id } = begun.body.data;
  const deadline = Date.now() + endsWithinMs;
  for (;;) {
    const { body } = await client.call('GET', readAt(id));
    const { status, error } = body.data;
    if (endings.includes(status)) {
      const reasons = [error, ...(body.data.warnings ?? [])].filter(Boolean).join('; ');
      if (status !== 'completed') violate(`a ${kind} is ${status}: ${reasons}`);
      const fault = judge?.(body.data);
      if (fault) violate(`a ${kind} ${fault}`);
      count(`${kind}s ended`);
      return id;
    }
    if (Date.now() > deadline) throw new Error(`A ${kind} is still ${status}`);
    await Bun.sleep(readEveryMs);
  }
};

const findWrongResults = (results: object, members: number): string | undefined => {
  const told = JSON.stringify(results);
  const counts: number[] = Object.values(results);
  const sum = counts.reduce((total, one) => total + one, 0);
  const isWhole = 'joined' in results && results.joined === members && sum === members;
  return isWhole ? undefined : `of ${members} members ended with ${told}`;
};

const checkEverybodyIsBack = async (community: Community, protocol: Protocol): Promise<void> => {
  const { members } = await community.readGuild();
  const present = new Set(members.map(({ user }) => user.id));
  const missing = community.pullable.filter((id) => !present.has(id));
  if (missing.length > 0) protocol.violate(`${missing.length} members are not back after a pull`);
};
