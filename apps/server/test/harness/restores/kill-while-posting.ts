import { executeRestore } from '../../../src/features/restores/run/execute.ts';
import type { RestoreDependencies } from '../../../src/features/restores/run/restore-run.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { ConversationPlatform } from '../../../src/platform/conversation.ts';
import type { BotPlatform, Platform } from '../../../src/platform/port.ts';
import { backupDependencies } from '../backups/run-backup.ts';
import { ownLease } from '../own-lease.ts';
import type { TestService } from '../service.ts';
import type { TestSimulator } from '../simulator/start.ts';
import { createTalkFixture } from './talk.ts';

/** Where a call stands when its worker dies. */
const moments = ['before', 'afterApply', 'afterAnswer'] as const;
export type Death = { atCall: number; moment: (typeof moments)[number] };

/** A backup of a talkative guild, restored again and again by workers that die while they post. */
export const createKillFixture = async (service: TestService, simulator: TestSimulator) => {
  const size = { channels: 1, messages: 6, threadMessages: 1 };
  const { beginRestore, expectWhole } = await createTalkFixture(service, simulator, size);
  const tools = { ...backupDependencies(service, simulator.apiUrl), clock: systemClock };
  const neverAgain = async () => undefined;

  /** False where the restore ended before the call at which its worker should have died. */
  const restoreWithDeath = async (death: Death): Promise<boolean> => {
    const { owner, target } = await beginRestore();
    const { signal } = new AbortController();
    const mortal = createMortal(tools, death);
    const ended = executeRestore(mortal.dependencies, owner, {
      signal,
      lease: ownLease,
      runAgain: neverAgain,
    });
    const isDead = (await Promise.race([mortal.died, ended])) === 'dead';
    if (isDead)
      await executeRestore(tools, owner, { signal, lease: ownLease, runAgain: neverAgain });
    await expectWhole(target, owner.restoreId);
    return isDead;
  };

  return { restoreWithDeath };
};

/** A worker that dies at a call about messages: nothing that it does later has an effect. */
const createMortal = (tools: RestoreDependencies, { atCall, moment }: Death) => {
  const death = Promise.withResolvers<'dead'>();
  const forever = new Promise<never>(() => undefined);
  let isDead = false;
  let calls = 0;
  const die = () => {
    isDead = true;
    death.resolve('dead');
    return forever;
  };
  const around = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (isDead) return die();
    calls += 1;
    if (calls !== atCall) return call();
    if (moment === 'before') return die();
    const result = await call();
    if (moment === 'afterApply') return die();
    isDead = true;
    return result;
  };
  const transaction: RestoreDependencies['db']['transaction'] = (work, config) =>
    isDead ? die() : tools.db.transaction(work, config);
  const db = Object.assign(Object.create(tools.db), { transaction });
  const platform = withConversation(tools.platform, (conversation) =>
    mapCalls(conversation, around),
  );
  return { dependencies: { ...tools, db, platform }, died: death.promise };
};

type Around = <Result>(call: () => Promise<Result>) => Promise<Result>;

const mapCalls = (conversation: ConversationPlatform, around: Around): ConversationPlatform =>
  new Proxy(conversation, {
    get(target, name) {
      const call = Reflect.get(target, name);
      return (...values: unknown[]) => around(async () => Reflect.apply(call, target, values));
    },
  });

const withConversation = (
  platform: Platform,
  map: (conversation: ConversationPlatform) => ConversationPlatform,
): Platform => ({
  ...platform,
  bot(token) {
    const bot: BotPlatform = platform.bot(token);
    return { ...bot, conversation: (...options) => map(bot.conversation(...options)) };
  },
});
