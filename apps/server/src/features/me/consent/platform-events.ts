import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import { parseBody, readWithin } from '../../../http/endpoint/read-body.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { HttpError, invalid } from '../../../kernel/errors.ts';
import { recordAudit } from '../../audit/queries.ts';
import { systemActor } from '../../audit/rules.ts';
import { isPublicKeyUsable } from '../../bots/rules.ts';
import { revokeConsent } from '../../members/queries/person.ts';
import { hasConsent } from '../../members/queries/verified.ts';
import { deleteTokens, lockTokens, type TokenOwner } from '../../vault/queries.ts';
import { deleteUndecidedPending } from '../../verification/queries/pending-verifications.ts';
import { findSigningBot } from '../queries.ts';

type Dependencies = { db: Database; clock: Clock };

const largestEventBytes = 64 * 1024;

const anyEvent = z.object({ event: z.object({ type: z.string() }) });

/** The platform omits the time zone, and means UTC. */
const moment = z.iso
  .datetime({ offset: true, local: true })
  .transform((text) => new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`));
const deauthorization = z.object({
  event: z.object({
    timestamp: moment,
    data: z.object({ user: z.object({ id: z.string().regex(/^\d{1,20}$/) }) }),
  }),
});

/** The webhook to which the platform sends the events of an application. */
export const mountPlatformEvents = (app: Hono<HttpEnv>, dependencies: Dependencies): void => {
  app.post('/platform/events/:botId', async (context) => {
    const body = await readWithin(context.req.raw, largestEventBytes);
    const bot = await findSender(context, dependencies, body);
    const payload = parseBody(body);
    if (anyEvent.safeParse(payload).data?.event.type === 'APPLICATION_DEAUTHORIZED') {
      const { data, timestamp } = deauthorizationIn(payload);
      const { accountId, botId } = bot;
      await deauthorize(dependencies.db, { accountId, botId, platformId: data.user.id }, timestamp);
    }
    // A ping, and every other event, is only acknowledged.
    return context.body(null, 204);
  });
};

/** Verified against if there is no such bot, so that the refusal takes as long. */
const unusedKey = '0'.repeat(64);

const findSender = async (
  context: Context<HttpEnv>,
  { db, clock }: Dependencies,
  body: Uint8Array,
) => {
  const botId = z.guid().safeParse(context.req.param('botId')).data;
  const bot = botId === undefined ? undefined : await findSigningBot(db, botId);
  const signature = context.req.header('x-signature-ed25519') ?? '';
  const timestamp = context.req.header('x-signature-timestamp') ?? '';
  const signed = { signature, timestamp, body };
  const isGenuine = await isSigned(clock, bot?.publicKey ?? unusedKey, signed);
  if (!bot || !isGenuine) throw new HttpError(401, 'The signature does not fit');
  return bot;
};

const deauthorizationIn = (payload: unknown) => {
  const parsed = deauthorization.safeParse(payload);
  if (!parsed.success) throw invalid({ formErrors: ['The event is not what it says'] });
  return parsed.data.event;
};

/** A request that is older, or further ahead, counts as a replay. */
const toleranceMs = 5 * 60 * 1000;

type SignedRequest = { signature: string; timestamp: string; body: Uint8Array };

/** Whether the platform sent this for the application of that public key. */
const isSigned = async (
  clock: Clock,
  publicKey: string,
  { signature, timestamp, body }: SignedRequest,
): Promise<boolean> => {
  if (!isPublicKeyUsable(publicKey) || !/^[0-9a-f]{128}$/i.test(signature)) return false;
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const ageMs = clock.now().getTime() - Number(timestamp) * 1000;
  if (Math.abs(ageMs) > toleranceMs) return false;
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  try {
    const raw = Buffer.from(publicKey, 'hex');
    const key = await crypto.subtle.importKey('raw', raw, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'hex'), signed);
  } catch {
    // Not every value of 64 hex digits is a key.
    return false;
  }
};

/**
 * The person removed the application at the platform, which ended its tokens there. An event that
 * comes twice or late changes nothing more: consent that the person gave after `at` stays.
 */
const deauthorize = (db: Database, owner: TokenOwner, at: Date): Promise<void> =>
  db.transaction(async (tx) => {
    await deleteUndecidedPending(tx, owner);
    await lockTokens(tx, owner);
    const revoked = await revokeConsent(tx, owner, at);
    if (await hasConsent(tx, owner)) return;
    const deleted = await deleteTokens(tx, owner);
    if (revoked === 0 && !deleted) return;
    await recordAudit(tx, {
      accountId: owner.accountId,
      actor: systemActor,
      action: 'member.deauthorize',
      subject: { type: 'member', id: owner.platformId },
      changes: { botId: owner.botId },
    });
  });
