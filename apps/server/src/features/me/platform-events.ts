import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import type { HttpEnv } from '../../http/admission.ts';
import { readWithin } from '../../http/read-body.ts';
import type { Clock } from '../../kernel/clock.ts';
import { invalid, Refusal } from '../../kernel/errors.ts';
import { deauthorize } from './deauthorize.ts';
import { findSigningBot } from './queries.ts';
import { isSigned } from './signature.ts';

export type PlatformEventTools = { db: Database; clock: Clock };

const largestEventBytes = 64 * 1024;

const anyEvent = z.object({ event: z.object({ type: z.string() }) });

/** The platform leaves the zone out, and means UTC. */
const moment = z.iso
  .datetime({ offset: true, local: true })
  .transform((text) => new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`));
const deauthorization = z.object({
  event: z.object({
    timestamp: moment,
    data: z.object({ user: z.object({ id: z.string().regex(/^\d{1,20}$/) }) }),
  }),
});

/** Where the platform tells an application what its people did there. */
export const mountPlatformEvents = (app: Hono<HttpEnv>, tools: PlatformEventTools): void => {
  app.post('/platform/events/:botId', async (context) => {
    const body = await readWithin(context.req.raw, largestEventBytes);
    const bot = await findSender(context, tools, body);
    const payload = parseJson(body);
    if (anyEvent.safeParse(payload).data?.event.type === 'APPLICATION_DEAUTHORIZED') {
      const { data, timestamp } = deauthorizationIn(payload);
      const { accountId, botId } = bot;
      await deauthorize(tools.db, { accountId, botId, platformId: data.user.id }, timestamp);
    }
    // A ping, and whatever else is told, is taken note of.
    return context.body(null, 204);
  });
};

/** Compared against when there is no such bot, so that it takes as long to be refused. */
const nobodysKey = '0'.repeat(64);

const findSender = async (
  context: Context<HttpEnv>,
  { db, clock }: PlatformEventTools,
  body: Uint8Array,
) => {
  const botId = z.guid().safeParse(context.req.param('botId')).data;
  const bot = botId === undefined ? undefined : await findSigningBot(db, botId);
  const signature = context.req.header('x-signature-ed25519') ?? '';
  const timestamp = context.req.header('x-signature-timestamp') ?? '';
  const signed = { signature, timestamp, body };
  const isGenuine = await isSigned(clock, bot?.publicKey ?? nobodysKey, signed);
  if (!bot || !isGenuine) throw new Refusal(401, 'The signature does not fit');
  return bot;
};

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw invalid({ formErrors: ['The event is not valid JSON'] });
  }
};

const deauthorizationIn = (payload: unknown) => {
  const parsed = deauthorization.safeParse(payload);
  if (!parsed.success) throw invalid({ formErrors: ['The event is not what it says'] });
  return parsed.data.event;
};
