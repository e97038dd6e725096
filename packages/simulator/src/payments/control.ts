import type { Context } from 'hono';
import { z } from 'zod';
import type { PlatformApp } from '../platform/platform.ts';
import type { Payments } from './payments.ts';

const secret = z.string().min(1).max(500);
const settingsSchema = z.strictObject({
  webhookUrl: z.url({ protocol: /^https?$/ }).optional(),
  signingSecret: secret.optional(),
  merchantSecret: secret.optional(),
});

const delayMs = z.int().min(0).max(600_000).default(0);
const modeSchema = z.strictObject({
  repeat: z.int().min(0).max(100).default(0),
  reorder: z.boolean().default(false),
  delayMs,
  garble: z.boolean().default(false),
});

const replaySchema = z.strictObject({
  eventId: z.string(),
  times: z.int().min(1).max(1000).default(1),
  delayMs,
  garble: z.boolean().default(false),
});

/** The tester's door to the payments. Secrets go in, never out. */
export const mountPaymentControl = (app: PlatformApp, payments: Payments): void => {
  const { deliveries } = payments;
  app.get('/__sim/payments', (c) =>
    c.json({ webhookUrl: payments.getSettings().webhookUrl ?? null, mode: deliveries.getMode() }),
  );
  app.put('/__sim/payments', async (c) => {
    const settings = await readControl(c, settingsSchema);
    if (settings instanceof Response) return settings;
    payments.changeSettings(settings);
    return c.body(null, 204);
  });
  app.put('/__sim/payments/mode', async (c) => {
    const mode = await readControl(c, modeSchema);
    if (mode instanceof Response) return mode;
    deliveries.setMode(mode);
    return c.json(mode);
  });
  app.get('/__sim/payments/events', (c) => c.json(deliveries.list()));
  app.delete('/__sim/payments/events', (c) => {
    deliveries.clear();
    return c.body(null, 204);
  });
  app.post('/__sim/payments/replay', async (c) => {
    const wish = await readControl(c, replaySchema);
    if (wish instanceof Response) return wish;
    const event = await deliveries.replay(wish.eventId, wish);
    return event ? c.json(event) : c.json({ message: 'No such event was sent.' }, 404);
  });
};

export const readControl = async <Schema extends z.ZodType>(
  c: Context,
  schema: Schema,
): Promise<z.output<Schema> | Response> => {
  const parsed = schema.safeParse(await c.req.json().catch(() => undefined));
  return parsed.success
    ? parsed.data
    : c.json({ message: 'Invalid body.', details: z.flattenError(parsed.error) }, 400);
};
