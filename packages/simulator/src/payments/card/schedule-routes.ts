import { z } from 'zod';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import type { Payments } from '../payments.ts';
import { answer, readForm, refuse, refuseMissing } from './api.ts';
import { newCardId } from './card-id.ts';
import { eventOf } from './event.ts';
import { subscriptionObject } from './objects.ts';
import { endOfPeriod, type Phase, type Schedule, type Subscription } from './subscription.ts';
import { itemsForm, prorationBehavior, readItems } from './subscription-routes.ts';

const path = '/v1/subscription_schedules';
const time = z.string().regex(/^\d+$/).transform(Number);
const metadata = z.record(z.string().max(40), z.string().max(500)).default({});

const createForm = z.strictObject({ from_subscription: z.string() });

const phaseForm = z.strictObject({
  items: itemsForm,
  start_date: time.optional(),
  end_date: time.optional(),
  duration: z.strictObject({ interval: z.literal('month'), interval_count: time }).optional(),
  metadata,
  proration_behavior: prorationBehavior.default('create_prorations'),
});

const updateForm = z.strictObject({
  end_behavior: z.enum(['release', 'cancel']).optional(),
  proration_behavior: prorationBehavior.optional(),
  phases: z.array(phaseForm).min(1).max(10).optional(),
});

/** Changes of a subscription that wait for the end of a period. */
export const mountSchedules = (app: PlatformApp, payments: Payments): void => {
  app.post(path, async (c) => {
    const read = await readForm(c, createForm);
    if ('refusal' in read) return read.refusal;
    const id = read.form.from_subscription;
    const { subscription } = payments.findSubscription(id) ?? {};
    if (!subscription) return refuseMissing(c, 'subscription', id, 'from_subscription');
    if (subscription.schedule) {
      const message = `You cannot migrate a subscription that is already attached to a schedule: ${subscription.schedule.id}.`;
      return refuse(c, 400, { message, param: 'from_subscription' });
    }
    const now = nowSeconds();
    const schedule = newSchedule(subscription, now);
    subscription.schedule = schedule;
    const body = scheduleObject(subscription, schedule);
    void payments.sendCardEvents([
      eventOf('subscription_schedule.created', body, now),
      eventOf('customer.subscription.updated', subscriptionObject(subscription), now),
    ]);
    return answer(c, body);
  });

  app.get(`${path}/:id`, (c) => {
    const found = payments.findSchedule(c.req.param('id'));
    if (!found) return refuseMissing(c, 'subscription_schedule', c.req.param('id'));
    return answer(c, scheduleObject(found.subscription, found.schedule));
  });

  app.post(`${path}/:id`, async (c) => {
    const read = await readForm(c, updateForm);
    if ('refusal' in read) return read.refusal;
    const found = payments.findSchedule(c.req.param('id'));
    if (!found) return refuseMissing(c, 'subscription_schedule', c.req.param('id'));
    const { subscription, schedule } = found;
    const phases = read.form.phases && readPhases(payments, found, read.form.phases);
    if (phases && 'error' in phases) {
      return refuse(c, 400, { message: phases.error, param: 'phases' });
    }
    schedule.endBehavior = read.form.end_behavior ?? schedule.endBehavior;
    schedule.phases = phases ?? schedule.phases;
    const body = scheduleObject(subscription, schedule);
    void payments.sendCardEvents([eventOf('subscription_schedule.updated', body, nowSeconds())]);
    return answer(c, body);
  });

  app.post(`${path}/:id/release`, (c) => {
    const found = payments.findSchedule(c.req.param('id'));
    if (!found) return refuseMissing(c, 'subscription_schedule', c.req.param('id'));
    const { subscription, schedule } = found;
    const now = nowSeconds();
    schedule.status = 'released';
    subscription.schedule = null;
    const body = scheduleObject(subscription, schedule);
    void payments.sendCardEvents([
      eventOf('subscription_schedule.released', body, now),
      eventOf('customer.subscription.updated', subscriptionObject(subscription), now),
    ]);
    return answer(c, body);
  });
};

const newSchedule = (subscription: Subscription, now: number): Schedule => ({
  id: newCardId('sub_sched'),
  createdAt: now,
  status: 'active',
  subscriptionId: subscription.id,
  endBehavior: subscription.cancelAtPeriodEnd ? 'cancel' : 'release',
  phases: [
    {
      startDate: subscription.periodStart,
      endDate: subscription.periodEnd,
      items: subscription.items,
      metadata: {},
      prorationBehavior: 'create_prorations',
    },
  ],
});

/** Each phase begins where the one before it ends. The current one cannot be given another start. */
const readPhases = (
  payments: Payments,
  { subscription, schedule }: { subscription: Subscription; schedule: Schedule },
  forms: z.output<typeof phaseForm>[],
): Phase[] | { error: string } => {
  const first = schedule.phases[0]?.startDate ?? subscription.periodStart;
  if (forms[0]?.start_date !== first) {
    return { error: 'You can not modify the start date of the current phase.' };
  }
  const phases: Phase[] = [];
  for (const form of forms) {
    const items = readItems(payments, form.items, subscription.items);
    if ('missing' in items) return { error: `No such price: '${items.missing}'` };
    const startDate = phases.at(-1)?.endDate ?? first;
    if (form.end_date === undefined && form.duration === undefined) {
      return { error: 'The phase needs an `end_date` or a `duration`.' };
    }
    const endDate = form.end_date ?? endOfPeriod(items.found, startDate);
    const { metadata, proration_behavior } = form;
    const rest = { metadata, prorationBehavior: proration_behavior };
    phases.push({ startDate, endDate, items: items.found, ...rest });
  }
  return phases;
};

const scheduleObject = (subscription: Subscription, schedule: Schedule) => {
  const isActive = schedule.status === 'active';
  return {
    id: schedule.id,
    object: 'subscription_schedule',
    billing_mode: { type: 'flexible' },
    canceled_at: null,
    completed_at: null,
    created: schedule.createdAt,
    current_phase: isActive
      ? { start_date: subscription.periodStart, end_date: subscription.periodEnd }
      : null,
    customer: subscription.customerId,
    end_behavior: schedule.endBehavior,
    livemode: false,
    metadata: {},
    phases: schedule.phases.map((phase) => ({
      currency: subscription.currency,
      start_date: phase.startDate,
      end_date: phase.endDate,
      items: phase.items.map(({ priceId, quantity }) => ({ price: priceId, quantity })),
      metadata: phase.metadata,
      proration_behavior: phase.prorationBehavior,
    })),
    released_at: isActive ? null : nowSeconds(),
    released_subscription: isActive ? null : subscription.id,
    status: schedule.status,
    subscription: isActive ? subscription.id : null,
  };
};
