import type { NewcomerCode } from '@holdfast/contract';
import { inParallel } from '../../../kernel/concurrency.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildPlatform } from '../../../platform/port.ts';
import type { LeasedRun } from '../../../queue/lease/lease.ts';
import { useBot } from '../../bots/use/use-bot.ts';
import { auditReasons } from '../../servers/guild/audit-reasons.ts';
import type { RaidDependencies } from './contain-raid.ts';
import { endReviewedRaid } from './end-reviewed-raid.ts';
import {
  type HeldNewcomer,
  keepSome,
  listHeld,
  listKept,
  settleNewcomers,
} from './queries/review.ts';
import { findWaveToContain, type OfWave, type WaveToContain } from './queries/waves.ts';
import { readRoleCounts } from './read-role-counts.ts';

/** As many as the platform bans in one call. */
const peopleAtATime = 200;
const keptAtATime = 5000;
const atOnce = 4;

/**
 * Carries out what was decided about those who are held, some at a time. Before the platform is called
 * they are marked, so a run that takes this over knows whom the last one may have removed.
 */
export const reviewWave = async (
  dependencies: RaidDependencies,
  owner: OfWave,
  run: LeasedRun,
): Promise<void> => {
  const { db } = dependencies;
  for (;;) {
    run.signal.throwIfAborted();
    const wave = await findWaveToContain(db, owner);
    if (!wave?.decision) return;
    if (wave.decision === 'KEEP') {
      const kept = await run.lease.transaction(db, (tx) => keepSome(tx, wave, keptAtATime));
      if (kept === 0) return;
      continue;
    }
    const held = await listHeld(db, wave, peopleAtATime);
    if (held.length === 0) return endReviewedRaid(dependencies, wave, run);
    await useBot(dependencies, wave, (bot) => {
      const reason = auditReasons.raid(wave.incidentId);
      const guild = bot.guild(wave.guildId, { signal: run.signal, reason });
      return removeSome({ dependencies, wave, run, guild }, held);
    });
  }
};

type Removal = {
  dependencies: RaidDependencies;
  wave: WaveToContain;
  run: LeasedRun;
  guild: GuildPlatform;
};

type Outcome = { status: 'kicked' | 'banned' | 'gone' | 'spared' | 'failed'; code?: NewcomerCode };

const removeSome = async (removal: Removal, held: readonly HeldNewcomer[]): Promise<void> => {
  const { dependencies, wave, guild } = removal;
  const ids = held.map(({ platformId }) => platformId);
  const kept = await listKept(dependencies.db, wave, ids);
  const roles = await readRoleCounts(
    guild,
    ids.filter((id) => !kept.has(id)),
  );
  const spared = ids.flatMap((id): [string, NewcomerCode][] => {
    const code = kept.get(id) ?? ((roles.get(id) ?? 0) > 0 ? 'HAS_ROLES' : undefined);
    return code ? [[id, code]] : [];
  });
  for (const [id, code] of spared) await settle(removal, [id], { status: 'spared', code });
  const sparedIds = new Set(spared.map(([id]) => id));
  const removed = held.filter(({ platformId }) => !sparedIds.has(platformId));
  await markRemoving(removal, removed);
  if (wave.decision === 'BAN') await banAll(removal, removed);
  else {
    await inParallel(atOnce, removed, async (one) => {
      const isThere = roles.has(one.platformId);
      await settle(removal, [one.platformId], await kickOne(removal, one, isThere));
    });
  }
};

const markRemoving = ({ dependencies, wave, run }: Removal, people: readonly HeldNewcomer[]) =>
  run.lease.transaction(dependencies.db, (tx) =>
    settleNewcomers(
      tx,
      wave,
      people.map(({ platformId }) => platformId),
      { status: 'removing' },
    ),
  );

const settle = ({ dependencies, wave, run }: Removal, ids: string[], outcome: Outcome) =>
  run.lease.transaction(dependencies.db, (tx) => settleNewcomers(tx, wave, ids, outcome));

/** One who is not there any more, and was to be kicked by a run before, was kicked by it. */
const kickOne = async (
  { guild }: Removal,
  { platformId, status }: HeldNewcomer,
  isThere: boolean,
): Promise<Outcome> => {
  const absent: Outcome = { status: status === 'removing' ? 'kicked' : 'gone' };
  if (!isThere) return absent;
  try {
    await guild.kick(platformId);
    return { status: 'kicked' };
  } catch (error) {
    return isAbsence(error) ? absent : outcomeOf(error);
  }
};

/** Many in one call; whom that does not ban is tried alone, which tells why, or that they are banned. */
const banAll = async (removal: Removal, people: readonly HeldNewcomer[]): Promise<void> => {
  if (people.length === 0) return;
  const { guild, wave } = removal;
  const ids = people.map(({ platformId }) => platformId);
  const reason = auditReasons.raid(wave.incidentId);
  const notBanned = new Set(await banMany(guild, ids, reason));
  await settle(
    removal,
    ids.filter((id) => !notBanned.has(id)),
    { status: 'banned' },
  );
  await inParallel(atOnce, [...notBanned], async (id) => {
    const outcome = await guild
      .ban(id, reason)
      .then((): Outcome => ({ status: 'banned' }), outcomeOf);
    await settle(removal, [id], outcome);
  });
};

/** Whoever is left; everybody where the bot may only ban one by one. */
const banMany = async (guild: GuildPlatform, ids: string[], reason: string): Promise<string[]> => {
  try {
    return (await guild.banMany(ids, reason)).notBanned;
  } catch (error) {
    if (isOfThePerson(error)) return ids;
    throw error;
  }
};

const isAbsence = (error: unknown): boolean =>
  error instanceof PlatformFailure &&
  (error.kind === 'unknownMember' || error.kind === 'unknownUser');

/** Failures that are no reason to stop with the others. */
const isOfThePerson = (error: unknown): error is PlatformFailure =>
  error instanceof PlatformFailure &&
  ['missingPermission', 'refused', 'unknownUser', 'unknownMember'].includes(error.kind);

const outcomeOf = (error: unknown): Outcome => {
  if (!isOfThePerson(error)) throw error;
  if (isAbsence(error)) return { status: 'gone' };
  const isForbidden = error.kind === 'missingPermission';
  return { status: 'failed', code: isForbidden ? 'BOT_CANNOT_REMOVE' : 'PLATFORM_REFUSED' };
};
