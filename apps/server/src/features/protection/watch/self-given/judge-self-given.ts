import type { Transaction } from '../../../../db/connect.ts';
import { inParallel } from '../../../../kernel/concurrency.ts';
import { readEntriesAfter } from '../../../../platform/audit-log.ts';
import type { CurrentMember } from '../../../../platform/port.ts';
import { useBot } from '../../../bots/use/use-bot.ts';
import { findMember } from '../../../pulls/roles/give-missing.ts';
import { lockServer } from '../../../servers/queries.ts';
import { listOffersOfIncidents, listSelfGiven, setActKind } from '../../queries/acts.ts';
import { findGuarded, listLiveExecutors } from '../../queries/watched.ts';
import { changesOfAct, givenRoleIds } from '../classify.ts';
import { type GuardedServer, guardedServerOf } from '../guarded-server.ts';
import { judgeActs } from '../ingest.ts';
import { isHopeless, type LookDependencies } from '../look-at-guild.ts';
import { mayHaveGiven } from './power-before.ts';
import { type JudgeSelfGiven, judgeSelfGivenLater } from './self-given-job.ts';

const mostAtOnce = 50;
const askedAtOnce = 4;
/** An entry of the audit log comes within a second or two. */
const graceSeconds = 5;
const mostPages = 20;

type SelfGiven = Awaited<ReturnType<typeof listSelfGiven>>[number];

/**
 * People gave dangerous roles to themselves. Whoever may have had the power to do so attacks, and so does
 * who took what an attacker had just put into the onboarding. All others were given it by the onboarding or
 * by an account that they linked: that is no act of theirs. What cannot be known counts as an attack.
 */
export const judgeSelfGivenRoles = async (
  dependencies: LookDependencies,
  given: JudgeSelfGiven,
  signal: AbortSignal,
): Promise<void> => {
  const { db } = dependencies;
  const row = await findGuarded(db, given);
  const acts = row ? await listSelfGiven(db, row, mostAtOnce) : [];
  if (!row || acts.length === 0) return;
  const powerless = await findPowerless(dependencies, guardedServerOf(row), acts, signal);
  await db.transaction(async (tx) => {
    await lockServer(tx, given);
    const present = await findGuarded(tx, given);
    if (!present) return;
    // Another job may have settled them meanwhile.
    const open = await listSelfGiven(tx, present, mostAtOnce);
    const left = acts.filter((act) => open.some(({ entryId }) => entryId === act.entryId));
    const server = guardedServerOf(present);
    await settle(dependencies, tx, given, { server, acts: left, powerless });
  });
};

type Found = {
  server: GuardedServer;
  acts: readonly SelfGiven[];
  /** Entries of people who certainly had no power to give roles. */
  powerless: ReadonlySet<string>;
};

const settle = async (
  dependencies: LookDependencies,
  tx: Transaction,
  given: JudgeSelfGiven,
  { server, acts, powerless }: Found,
): Promise<void> => {
  const live = await listLiveExecutors(tx, server, dependencies.clock.now());
  const offers = await listOffersOfIncidents(tx, server);
  const isOffered = (act: SelfGiven) => {
    const own = givenRoleIds({ changes: changesOfAct(act) });
    return offers.some((offer) =>
      givenRoleIds({ changes: changesOfAct(offer) }).some((id) => own.includes(id)),
    );
  };
  const isAttack = (act: SelfGiven) =>
    !powerless.has(act.entryId) ||
    act.executorId === server.guard.ownerId ||
    live.some(({ platformId }) => platformId === act.executorId) ||
    isOffered(act);
  const { attacks = [], others = [] } = Object.groupBy(acts, (act) =>
    isAttack(act) ? 'attacks' : 'others',
  );
  const settled = others.filter(({ entryId }) => !isNewer(entryId, given.settledId));
  for (const { entryId } of attacks) {
    await setActKind(tx, server, { entryId, kind: 'dangerousGrants' });
  }
  for (const { entryId } of settled) await setActKind(tx, server, { entryId, kind: 'other' });
  const kind = 'dangerousGrants' as const;
  const judged = attacks.map(({ executorId, at }) => ({ executorId, kind, atMs: at.getTime() }));
  await judgeActs(dependencies, tx, server, judged);
  await goOn(dependencies, tx, given, { acts, others, settled });
};

/** Those who seem harmless are looked at once more, when the log has told of all that was done before. */
const goOn = async (
  { queue }: LookDependencies,
  tx: Transaction,
  given: JudgeSelfGiven,
  { acts, others, settled }: Record<'acts' | 'others' | 'settled', readonly SelfGiven[]>,
): Promise<void> => {
  const waiting = others.filter((act) => !settled.includes(act));
  const settledId = waiting.at(-1)?.entryId ?? null;
  if (settledId !== null) {
    const options = { startAfterSeconds: graceSeconds };
    await judgeSelfGivenLater(queue, tx, { ...given, settledId }, options);
  } else if (acts.length === mostAtOnce) await judgeSelfGivenLater(queue, tx, given);
};

const isNewer = (entryId: string, other: string | null): boolean =>
  other === null || BigInt(entryId) > BigInt(other);

const findPowerless = async (
  dependencies: LookDependencies,
  { roles = new Map(), ...server }: GuardedServer,
  acts: readonly SelfGiven[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const guild = { guildId: server.guildId, roles };
  try {
    return await useBot(dependencies, server, async (bot) => {
      const calls = bot.guild(server.guildId, { signal });
      const ids = [...new Set(acts.map(({ executorId }) => executorId))];
      // The people before the log: it has every change that they show.
      const people = await inParallel(askedAtOnce, ids, (id) => findMember(calls, id));
      const members = new Map(people.flatMap((one) => (one ? [[one.userId, one]] : [])));
      const before = String(BigInt(acts[0]?.entryId ?? 1) - 1n);
      const log = (await readEntriesAfter(calls, before, mostPages)) ?? [];
      const isPowerless = (act: SelfGiven) => {
        const member = members.get(act.executorId);
        const since = log.slice(log.findIndex(({ entryId }) => entryId === act.entryId));
        const isKnown = since[0]?.entryId === act.entryId;
        if (!member || !isKnown || hasComeSince(member, act)) return false;
        const { userId: platformId, roleIds } = member;
        return !mayHaveGiven({ platformId, roleIds, since, guild });
      };
      return new Set(acts.filter(isPowerless).map(({ entryId }) => entryId));
    });
  } catch (error) {
    if (!isHopeless(error)) throw error;
    return new Set();
  }
};

/** What they had before they left is not known. */
const hasComeSince = ({ joinedAt }: CurrentMember, { at }: SelfGiven): boolean =>
  joinedAt === null || new Date(joinedAt) > at;
