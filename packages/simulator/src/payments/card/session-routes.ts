import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import { originOf, type Payments } from '../payments.ts';
import { answer, readForm, refuse, refuseMissing } from './api.ts';
import { expireSession } from './events.ts';
import { sessionObject } from './objects.ts';
import { newSession, readPrices, sessionForm, statusOf, validateForm } from './session.ts';

const path = '/v1/checkout/sessions';

/** The card provider's checkout sessions. */
export const mountSessions = (app: PlatformApp, payments: Payments): void => {
  const { sessions, prices } = payments;

  app.post(path, async (c) => {
    const read = await readForm(c, sessionForm);
    if ('refusal' in read) return read.refusal;
    const now = nowSeconds();
    const named = readPrices(read.form, prices);
    if ('message' in named) return refuse(c, 400, named);
    const error = validateForm(read.form, named, now);
    if (error) return refuse(c, 400, error);
    const account = payments.accountOf(read.form.customer);
    const session = newSession(read.form, named, now, { origin: originOf(c), account });
    sessions.set(session.id, session);
    return answer(c, sessionObject(session, now));
  });

  app.get(`${path}/:id`, (c) => {
    const id = c.req.param('id');
    const session = sessions.get(id);
    if (!session) return refuseMissing(c, 'checkout.session', id, 'session');
    return answer(c, sessionObject(session, nowSeconds()));
  });

  app.post(`${path}/:id/expire`, (c) => {
    const id = c.req.param('id');
    const session = sessions.get(id);
    if (!session) return refuseMissing(c, 'checkout.session', id);
    const now = nowSeconds();
    if (statusOf(session, now) !== 'open') {
      const message = `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${statusOf(session, now)}.`;
      return refuse(c, 400, { message });
    }
    const events = expireSession(session, now);
    const body = sessionObject(session, now);
    void payments.sendCardEvents(events);
    return answer(c, body);
  });
};
