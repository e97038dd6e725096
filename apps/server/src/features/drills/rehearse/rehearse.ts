import type { DrillFigures, DrillOutcome } from '@holdfast/contract';
import {
  type PrivateSimulator,
  startPrivateSimulator,
} from '../../../integrations/simulator/private-simulator.ts';
import type { Aside } from '../../../kernel/aside.ts';
import type { Guard } from '../../protection/watch/judge.ts';
import type { GuildState } from '../../restores/plan/step.ts';
import { readGuild } from '../../restores/run/read-guild.ts';
import type { Copy } from '../copy/plan-copy-task.ts';
import { attack } from './attack.ts';
import { connectCopy, platformAt, tokenOf } from './connect-copy.ts';
import { comparedParts, repairCopy } from './repair-copy.ts';
import { watchCopy } from './watch-copy.ts';

type Rehearsal = {
  aside: Pick<Aside, 'run'>;
  accountId: string;
  copy: Copy;
  guard: Pick<Guard, 'thresholds' | 'trusted'>;
  signal: AbortSignal;
};

/** About what a call takes to the real platform and back. */
const latencyMs = 40;
/** So long the attacker goes on where nobody stops them. */
const attackMs = 30_000;
/** For acts that were on their way when the attacker was stopped. */
const settleMs = 300;
/** Longer than any stop takes. */
const stopMs = 10_000;

/** Attacks the copy in a simulator of its own, and measures what happens. */
export const rehearse = async (rehearsal: Rehearsal) => {
  const simulator = await startPrivateSimulator();
  const over = new AbortController();
  const signal = AbortSignal.any([rehearsal.signal, over.signal]);
  try {
    return await attackCopy({ ...rehearsal, signal }, simulator);
  } finally {
    over.abort();
    await simulator.stop();
  }
};

type Rehearsed = { outcome: DrillOutcome; figures: DrillFigures };

const attackCopy = async (
  rehearsal: Rehearsal,
  simulator: PrivateSimulator,
): Promise<Rehearsed> => {
  const { copy, signal } = rehearsal;
  const { guildId } = copy.structure;
  const own = await open(simulator, copy.bot.userId);
  const enemy = await open(simulator, copy.attacker.userId);
  await simulator.put(`/guilds/${guildId}`, copy.state);
  await simulator.put('/latency', { ms: latencyMs });
  const watcher = watchCopy({ platform: own.platform, server: guardedOf(rehearsal), signal });
  await connectCopy({ ...own, apiUrl: simulator.apiUrl, onEvent: watcher.hear, signal });
  const guild = own.platform.guild(guildId, { signal, reason: 'Holdfast fire drill' });
  const before = await readGuild(guildId, guild, comparedParts);

  const begunAt = performance.now();
  const since = (at: number | undefined) => (at === undefined ? null : Math.round(at - begunAt));
  const ending = new AbortController();
  const untilEnd = AbortSignal.any([signal, ending.signal, AbortSignal.timeout(attackMs)]);
  const calls = enemy.platform.guild(guildId, { signal: untilEnd });
  const attacking = attack(calls, copy.targets, untilEnd);
  const stop = await Promise.race([watcher.stopped, attacking.then(() => stopOf(watcher))]);
  await Bun.sleep(settleMs);
  ending.abort();
  await attacking;
  signal.throwIfAborted();
  const current = await readGuild(guildId, guild, comparedParts);
  const measured = {
    ...{ objects: sizeOf(before), objectsLost: sizeOf(before) - sizeOf(current) },
    detectedAfterMs: since(watcher.detectedAt()),
  };
  if (stop?.outcome.status !== 'stopped') {
    const outcome = watcher.detectedAt() === undefined ? 'NOT_DETECTED' : 'NOT_STOPPED';
    const none = { stoppedAfterMs: null, repairedAfterMs: null, differences: null };
    return { outcome, figures: { ...measured, ...none } };
  }
  const { bot, structure: backup, attacker } = copy;
  const differences = await repairCopy({
    ...{ aside: rehearsal.aside, accountId: rehearsal.accountId },
    ...{ guildId, guild, bot, backup, before },
    ...{ attackerId: attacker.userId, entries: watcher.entries },
  });
  const [stoppedAfterMs, repairedAfterMs] = [since(stop.stoppedAt), since(performance.now())];
  const figures = { ...measured, stoppedAfterMs, repairedAfterMs, differences };
  return { outcome: 'STOPPED', figures };
};

/** Nothing is left to attack: a stop that is under way may still end. */
const stopOf = async ({ stopped, detectedAt }: ReturnType<typeof watchCopy>) => {
  await Bun.sleep(settleMs);
  if (detectedAt() === undefined) return undefined;
  return Promise.race([stopped, Bun.sleep(stopMs).then(() => undefined)]);
};

/** Somebody whom the simulator lets in. */
const open = async ({ put, apiUrl }: PrivateSimulator, userId: string) => {
  const token = tokenOf(userId);
  await put(`/bots/${userId}`, { botToken: token.reveal() });
  return { token, platform: platformAt(apiUrl, token) };
};

const guardedOf = ({ accountId, copy, guard }: Rehearsal) => ({
  ...{ serverId: '', botId: '', accountId },
  ...{ guildId: copy.structure.guildId, botUserId: copy.bot.userId },
  guard: { ...guard, ownerId: null },
  ...{ roles: undefined, botRoleIds: new Set<string>(), lastEntryId: null, otherBots: [] },
});

const sizeOf = ({ roles, channels }: GuildState): number => roles.length + channels.length;
