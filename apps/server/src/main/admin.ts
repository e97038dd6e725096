import { parseArgs } from 'node:util';
import { identifyingPlatformId, newKey, planName } from '@holdfast/contract';
import { z } from 'zod';
import { closeDatabase, connectDatabase, type Database } from '../db/connect.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { recordAudit } from '../features/audit/queries.ts';
import { verifyChain } from '../features/audit/verify-chain.ts';
import { requireRingFitsBots } from '../features/bots/rewrap.ts';
import { mintKeyFor } from '../features/keys/mint.ts';
import { revokeAnyKey } from '../features/keys/queries.ts';
import { refundOrder } from '../features/marketplace/orders/refund-order.ts';
import { payPayout } from '../features/marketplace/payouts/payouts.ts';
import { type AskForTokens, seedMembers } from '../features/members/seed.ts';
import { hasSecondFactor } from '../features/sessions/second-factor/queries.ts';
import { removeSecondFactor } from '../features/sessions/second-factor/switch.ts';
import { findOrCreateUser, isUser, setPlan } from '../features/users/queries.ts';
import { systemClock } from '../kernel/clock.ts';
import { type Config, readConfig } from './config.ts';
import { findSimulator } from './simulator-process.ts';
import { askSimulatorForTokens } from './simulator-tokens.ts';
import { joinStorage, loadKeyRing } from './storage.ts';

/** The operator, as the audit log names them. */
const operator = { type: 'SYSTEM', id: null } as const;

const wholeNumber = z.string().regex(/^\d+$/, 'Must be a whole number').transform(Number);

type Tools = { db: Database; config: Config };

type Command = {
  options: string[];
  run(tools: Tools, given: Record<string, string | undefined>): Promise<object>;
};

const command = <Shape extends z.ZodRawShape>(
  shape: Shape,
  run: (tools: Tools, given: z.output<z.ZodObject<Shape>>) => Promise<object>,
): Command => ({
  options: Object.keys(shape),
  run: (tools, given) => run(tools, z.object(shape).parse(given)),
});

const commands: Record<string, Command> = {
  'create-key': command(
    {
      'platform-id': identifyingPlatformId,
      plan: planName.optional(),
      scopes: z.preprocess((text) => String(text).split(','), newKey.shape.scopes),
      name: newKey.shape.name,
    },
    ({ db }, given) =>
      db.transaction(async (tx) => {
        const user = await findOrCreateUser(tx, given['platform-id']);
        const { plan = user.plan, scopes, name } = given;
        if (plan !== user.plan) {
          await setPlan(tx, user.id, plan);
          await recordAudit(tx, {
            userId: user.id,
            actor: operator,
            action: 'plan.set',
            subject: { type: 'user', id: user.id },
            changes: { plan: { from: user.plan, to: plan } },
          });
        }
        const minted = await mintKeyFor(tx, user.id, operator, { name, scopes, expiresAt: null });
        return { key: minted.key, keyId: minted.id, userId: user.id };
      }),
  ),

  'revoke-key': command({ 'key-id': z.guid() }, ({ db }, given) =>
    db.transaction(async (tx) => {
      const revoked = await revokeAnyKey(tx, given['key-id']);
      if (!revoked) throw new Error('No such key, or it is revoked already');
      await recordAudit(tx, {
        userId: revoked.userId,
        actor: operator,
        action: 'key.revoke',
        subject: { type: 'key', id: revoked.id },
      });
      return { keyId: revoked.id, revoked: true };
    }),
  ),

  'seed-members': command(
    {
      server: z.guid(),
      count: wholeNumber.pipe(z.int().min(1).max(10_000_000)),
      pullable: wholeNumber.default(0),
      tokens: z.enum(['yes', 'no']).default('yes'),
    },
    async (tools, { server, count, pullable, tokens }) => {
      const askForTokens = tokens === 'yes' ? await findTokenGiver(tools) : undefined;
      return seedMembers(tools.db, server, { count, pullable }, askForTokens);
    },
  ),

  'pay-payout': command({ payout: z.guid() }, ({ db }, given) =>
    db.transaction(async (tx) => {
      const wish = { id: given.payout, paidAt: systemClock.now() };
      const paid = await payPayout(tx, wish, operator);
      if (!paid) throw new Error('No such payout, or it is paid already');
      const { id: payoutId, userId, amountCents, currency, status } = paid;
      return { payoutId, userId, amountCents, currency, status };
    }),
  ),

  'refund-order': command({ order: z.guid() }, ({ db }, given) =>
    db.transaction(async (tx) => {
      const refunded = await refundOrder(tx, given.order, operator);
      if (!refunded) throw new Error('No such order, or its money is not held any more');
      const { id: orderId, buyerId: userId, status } = refunded;
      return { orderId, userId, status };
    }),
  ),

  'remove-second-factor': command({ user: z.guid() }, ({ db }, { user: userId }) =>
    db.transaction(async (tx) => {
      if (!(await hasSecondFactor(tx, userId)))
        throw new Error('No such user with a second factor');
      await removeSecondFactor(tx, { userId, actor: operator });
      return { userId, mfaEnabled: false };
    }),
  ),

  'verify-audit': command({ user: z.guid() }, async ({ db }, { user }) => {
    if (!(await isUser(db, user))) throw new Error('No such user');
    const report = await verifyChain(db, user);
    if (!report.intact) throw new Error(`The chain is broken: ${JSON.stringify(report)}`);
    return { userId: user, ...report };
  }),

  migrate: command({}, async () => ({ migrated: true })),
};

/** Undefined where the platform is no simulator, and nobody can be asked. */
const findTokenGiver = async ({ db, config }: Tools): Promise<AskForTokens | undefined> => {
  const url = await findSimulator(config);
  if (url === undefined) return undefined;
  const ring = await loadKeyRing(config);
  // What is sealed under a ring that the service does not have would keep it from starting.
  await requireRingFitsBots(db, ring);
  return askSimulatorForTokens(url, ring);
};

const run = async (): Promise<void> => {
  const [name = '', ...rest] = process.argv.slice(2);
  const chosen = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!chosen)
    throw new Error(`${name || 'Nothing'} is no command: ${Object.keys(commands).join(', ')}`);
  const options = Object.fromEntries(
    chosen.options.map((option) => [option, { type: 'string' } as const]),
  );
  const { values } = parseArgs({ args: rest, options, strict: true });

  const config = readConfig(process.env);
  const storage = await joinStorage(config);
  await migrateDatabase(storage.url);
  const db = connectDatabase(storage.url, {
    name: 'holdfast-admin',
    poolSize: 2,
    statementTimeoutMs: 0,
  });
  try {
    const result = await chosen.run({ db, config }, values);
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    await closeDatabase(db);
    await storage.close();
  }
};

const oneLine = (error: unknown): string => {
  if (error instanceof z.ZodError) {
    return error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('; ');
  }
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s*\n\s*/g, ' ');
};

run().catch((error: unknown) => {
  process.stderr.write(`${oneLine(error)}\n`);
  process.exit(1);
});
