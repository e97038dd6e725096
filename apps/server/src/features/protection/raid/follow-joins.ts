import { defaultRaid } from '@holdfast/contract';
import type { Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import type { GuildEvent } from '../../../platform/gateway/events.ts';
import type { Queue } from '../../../queue/queue.ts';
import { raiseAlert } from '../../alerts/deliver/raise-alert.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { raiseChecks } from '../../verification/queries/raised-checks.ts';
import { beginStep, endStep } from '../queries/steps.ts';
import { containRaidLater, reviewWaveLater } from './jobs.ts';
import {
  forgetJoinsOf,
  type GuardedGuild,
  joinWave,
  listGuardedGuilds,
  listKnownOfWave,
  listVerifiedBefore,
  listYoungJoins,
  type NewNewcomer,
  putNewcomers,
} from './queries/joins.ts';
import { countJoins, insertWave, markAlike, type OfWave } from './queries/waves.ts';
import { ageOf, alikeRule, isHeldAt, nameKeyOf, scoreOf } from './score-newcomer.ts';
import { findWaveStart, longestWaveMs, mostListed } from './wave.ts';

type Dependencies = { queue: Pick<Queue, 'enqueue'>; clock: Clock };
type Bot = { botId: string; accountId: string };
type Join = Extract<GuildEvent, { kind: 'memberJoined' | 'memberChanged' }>;

/**
 * Counts who joins guilds whose server has anti-raid on. It runs in the transaction that stores that the
 * events took effect, so each join counts once, whichever process hears it. What is only a matter of the
 * database happens here: the incident is opened, checks are raised and newcomers are held at once.
 */
export const followJoins =
  (dependencies: Dependencies) =>
  async (tx: Transaction, bot: Bot, events: readonly GuildEvent[]): Promise<void> => {
    const joins = Map.groupBy(events.filter(isJoin), ({ guildId }) => guildId);
    if (joins.size === 0) return;
    for (const guild of await listGuardedGuilds(tx, bot, [...joins.keys()])) {
      const newcomers = await newcomersOf(dependencies, tx, guild, joins.get(guild.guildId) ?? []);
      if (newcomers.length === 0) continue;
      if (guild.incidentId === null) await countTowardsWave(dependencies, tx, guild, newcomers);
      else {
        const wave = { ...ownerOf(guild), incidentId: guild.incidentId };
        await addToWave(tx, wave, newcomers);
        if (guild.decision !== null) await reviewWaveLater(dependencies.queue, tx, wave);
      }
    }
  };

const isJoin = (event: GuildEvent): event is Join => event.kind === 'memberJoined' && !event.isBot;

const ownerOf = ({ accountId, serverId }: GuardedGuild) => ({ accountId, serverId });

/** Without those who are known: they are no part of a wave, however many come back at once. */
const newcomersOf = async (
  { clock }: Dependencies,
  tx: Transaction,
  guild: GuardedGuild,
  joins: readonly Join[],
): Promise<NewNewcomer[]> => {
  const people = new Map(joins.map((join) => [join.userId, join]));
  const verified = await listVerifiedBefore(tx, guild.accountId, [...people.keys()]);
  const known = new Set([...verified, ...(guild.trusted ?? []).map((one) => one.platformId)]);
  const { minAccountAgeDays } = { ...defaultRaid, ...guild.raid };
  const minDays = guild.minAccountAgeDays ?? minAccountAgeDays;
  return [...people.values()]
    .filter(({ userId }) => !known.has(userId))
    .map((join) => newcomerOf(join, clock.now(), minDays));
};

const newcomerOf = (join: Join, now: Date, minAccountAgeDays: number): NewNewcomer => {
  const { userId: platformId, hasPicture } = join;
  const username = join.username ?? '';
  const reportedMs = Date.parse(join.joinedAt ?? '');
  const joinedAt = new Date(
    Math.min(Number.isNaN(reportedMs) ? Infinity : reportedMs, Number(now)),
  );
  const age = ageOf(platformId, joinedAt, minAccountAgeDays);
  const score = scoreOf({ age, hasPicture, isAlike: false });
  return {
    ...{ platformId, username, joinedAt, hasPicture, score },
    isYoung: age === 'young',
    nameKey: nameKeyOf(username),
    isAlike: false,
    status: isHeldAt(score) ? 'held' : 'seen',
  };
};

const countTowardsWave = async (
  dependencies: Dependencies,
  tx: Transaction,
  guild: GuardedGuild,
  newcomers: readonly NewNewcomer[],
): Promise<void> => {
  const owner = ownerOf(guild);
  const raid = { ...defaultRaid, ...guild.raid };
  await putNewcomers(tx, { ...owner, incidentId: null }, newcomers);
  const times = await listYoungJoins(tx, owner, raid.joins + newcomers.length);
  const startMs = findWaveStart(times, raid);
  if (startMs !== undefined) {
    await openWave(dependencies, tx, guild, { startedAt: new Date(startMs), ...raid });
  }
  const newestMs = Math.max(...newcomers.map(({ joinedAt }) => joinedAt.getTime()));
  await forgetJoinsOf(tx, owner, new Date(newestMs - raid.perSeconds * 1000));
};

const openWave = async (
  dependencies: Dependencies,
  tx: Transaction,
  guild: GuardedGuild,
  { startedAt, minAccountAgeDays }: { startedAt: Date; minAccountAgeDays: number },
): Promise<void> => {
  const owner = ownerOf(guild);
  const { accountId, serverId } = owner;
  const incidentId = newId();
  const detectedAt = dependencies.clock.now();
  const isNew = await insertWave(tx, {
    ...{ ...owner, incidentId, guildId: guild.guildId, minAccountAgeDays },
    ...{ startedAt, lastJoinAt: startedAt, detectedAt },
  });
  if (!isNew) return;
  const wave = { ...owner, incidentId };
  const joined = await joinWave(tx, wave, startedAt);
  await countJoins(tx, wave, countsOf(joined));
  await markAlike(tx, wave, { nameKeys: keysOf(joined), ...alikeRule });
  const until = new Date(detectedAt.getTime() + longestWaveMs);
  const raised = { captchaType: 'POW' as const, minAccountAgeDays };
  await raiseChecks(tx, { ...owner, ...raised, until });
  await noteStep(tx, wave, { kind: 'RAISE_CHECKS', detail: raised });
  await noteStep(tx, wave, { kind: 'HOLD_NEWCOMERS', detail: { newcomers: joined.length } });
  await containRaidLater(dependencies.queue, tx, { accountId, incidentId });
  const facts = { incidentId, incidentKind: 'RAID' as const };
  await raiseAlert(tx, dependencies, { accountId, serverId, kind: 'INCIDENT', facts });
  await recordAudit(tx, {
    ...{ accountId, actor: systemActor, action: 'incident.open' },
    subject: { type: 'incident', id: incidentId },
    changes: { serverId, kind: 'RAID', joins: joined.length },
  });
};

/** Of those beyond the limit only the number is kept. */
const addToWave = async (
  tx: Transaction,
  wave: OfWave & { serverId: string },
  newcomers: readonly NewNewcomer[],
): Promise<void> => {
  const known = await listKnownOfWave(
    tx,
    wave,
    newcomers.map(({ platformId }) => platformId),
  );
  const isFirst = ({ platformId }: NewNewcomer) => !known.has(platformId);
  // Who comes back is not counted again, but shows that the wave goes on.
  const { lastJoinAt } = countsOf(newcomers);
  const before = await countJoins(tx, wave, { ...countsOf(newcomers.filter(isFirst)), lastJoinAt });
  const listed = newcomers.slice(0, Math.max(0, mostListed - before));
  await putNewcomers(tx, wave, listed);
  await markAlike(tx, wave, { nameKeys: keysOf(listed), ...alikeRule });
};

type Counted = { isYoung: boolean; joinedAt: Date };

const countsOf = (newcomers: readonly Counted[]) => {
  const young = newcomers.filter(({ isYoung }) => isYoung);
  const lastMs = Math.max(...young.map(({ joinedAt }) => joinedAt.getTime()));
  return {
    joins: young.length,
    newcomers: newcomers.length,
    lastJoinAt: young.length === 0 ? undefined : new Date(lastMs),
  };
};

const keysOf = (newcomers: readonly { nameKey: string }[]): string[] => [
  ...new Set(newcomers.map(({ nameKey }) => nameKey)),
];

/** A step that is done by this transaction itself. */
const noteStep = async (
  tx: Transaction,
  incident: OfWave,
  step: Parameters<typeof beginStep>[2],
): Promise<void> => {
  const seq = await beginStep(tx, incident, step);
  await endStep(tx, incident, { seq, status: 'done' });
};
