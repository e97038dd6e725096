import { z } from 'zod';
import { withBody } from '../platform/control/guard.ts';
import type { PlatformApp } from '../platform/platform.ts';
import { applyLaterAction, checkoutStepNames, checkoutSteps, laterActions } from './card/events.ts';
import { sessionObject } from './card/objects.ts';
import { type Session, statusOf } from './card/session.ts';
import { nowSeconds } from './clock.ts';
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

const stepSchema = z.strictObject({ step: z.enum([...checkoutStepNames, ...laterActions]) });
type Step = z.output<typeof stepSchema>['step'];

const takeStep = (session: Session, step: Step, now: number) => {
  const later = laterActions.find((name) => name === step);
  if (later) return applyLaterAction(session, later, now);
  const taken = checkoutStepNames.find((name) => name === step);
  const isOpen = statusOf(session, now) === 'open';
  return taken && isOpen ? checkoutSteps[taken](session, now) : undefined;
};

/** Part of the control API: where the providers send events, and how. It returns no secret. */
export const mountPaymentControl = (app: PlatformApp, payments: Payments): void => {
  const { deliveries } = payments;
  app.get('/__sim/payments', (c) =>
    c.json({ webhookUrl: payments.getSettings().webhookUrl ?? null, mode: deliveries.getMode() }),
  );
  app.put(
    '/__sim/payments',
    withBody(settingsSchema, (settings, c) => {
      payments.changeSettings(settings);
      return c.body(null, 204);
    }),
  );
  app.put(
    '/__sim/payments/mode',
    withBody(modeSchema, (mode, c) => {
      deliveries.setMode(mode);
      return c.json(mode);
    }),
  );
  app.post(
    '/__sim/payments/card/:id',
    withBody(stepSchema, async ({ step }, c) => {
      const session = payments.sessions.get(c.req.param('id') ?? '');
      if (!session) return c.json({ message: 'No such session.' }, 404);
      const now = nowSeconds();
      const events = takeStep(session, step, now);
      if (!events) return c.json({ message: 'This cannot happen now.' }, 409);
      await payments.sendCardEvents(events);
      return c.json(sessionObject(session, now));
    }),
  );
  app.get('/__sim/payments/events', (c) => c.json(deliveries.list()));
  app.delete('/__sim/payments/events', (c) => {
    deliveries.clear();
    return c.body(null, 204);
  });
  app.post(
    '/__sim/payments/replay',
    withBody(replaySchema, async (replay, c) => {
      const event = await deliveries.replay(replay.eventId, replay);
      return event ? c.json(event) : c.json({ message: 'No such event was sent.' }, 404);
    }),
  );
};
