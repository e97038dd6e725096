/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import {
  Actions,
  DescriptionList,
  formatMinorUnits,
  sendNotFound,
  sendPage,
} from '../../pages/page.tsx';
import type { PlatformApp } from '../../platform/platform.ts';
import { nowSeconds } from '../clock.ts';
import type { Payments } from '../payments.ts';
import { applyLaterAction, checkoutStepNames, checkoutSteps, laterActions } from './events.ts';
import { type Session, statusOf } from './session.ts';
import { type LineItem, sumOf } from './subscription.ts';

const path = '/pay/card/:id';

/** The page on which a person pays by card; once paid, it can trigger what happens in later months. */
export const mountCardPages = (app: PlatformApp, payments: Payments): void => {
  app.get(path, (c) => {
    const session = payments.sessions.get(c.req.param('id'));
    return session ? showSession(c, session) : sendNotFound(c);
  });
  app.post(path, async (c) => {
    const session = payments.sessions.get(c.req.param('id'));
    if (!session) return sendNotFound(c);
    const { step } = await c.req.parseBody();
    return applyStep(c, payments, session, String(step));
  });
};

const applyStep = async (c: Context, payments: Payments, session: Session, step: string) => {
  const now = nowSeconds();
  const later = laterActions.find((name) => name === step);
  if (later) {
    await payments.sendCardEvents(applyLaterAction(session, later, now) ?? []);
    return c.redirect(`/pay/card/${session.id}`, 303);
  }
  if (step === 'cancel' && session.cancelUrl) return c.redirect(session.cancelUrl, 303);
  // A second click, or a tab that was left open, changes nothing.
  const taken = checkoutStepNames.find((name) => name === step);
  if (taken && statusOf(session, now) === 'open') {
    await payments.sendCardEvents(checkoutSteps[taken](session, now));
    if (taken !== 'fail') return c.redirect(session.successUrl, 303);
  }
  return c.redirect(`/pay/card/${session.id}`, 303);
};

const showSession = (c: Context, session: Session) => {
  const status = statusOf(session, nowSeconds());
  if (status === 'open') return showOpen(c, session);
  if (status === 'complete') return showComplete(c, session);
  return sendPage(
    c,
    { title: 'Payment expired' },
    <>
      <h1>This payment has expired</h1>
      <Amount session={session} />
      <p>Nothing was paid. Go back to where you came from to begin again.</p>
      {session.cancelUrl && (
        <p>
          <a href={session.cancelUrl}>Go back</a>
        </p>
      )}
    </>,
  );
};

const showOpen = (c: Context, session: Session) =>
  sendPage(
    c,
    { title: 'Pay by card' },
    <>
      <h1>Pay by card</h1>
      <Amount session={session} />
      {session.isDeclined && (
        <p class="notice bad" role="alert">
          The card was declined. Nothing was paid.
        </p>
      )}
      <DescriptionList
        rows={session.items.map((item) => [item.name, formatPrice(session, item)])}
      />
      <Actions
        path={`/pay/card/${session.id}`}
        actions={[
          { step: 'pay', label: 'Pay', kind: 'primary' },
          { step: 'pay-later', label: 'Pay by bank transfer, which takes days' },
          { step: 'fail', label: 'Fail the payment', kind: 'danger' },
          ...(session.cancelUrl ? [{ step: 'cancel', label: 'Cancel' }] : []),
        ]}
      />
    </>,
  );

const showComplete = (c: Context, session: Session) => {
  const isWaiting = session.delayed === 'waiting';
  const actions = isWaiting
    ? delayActions
    : [...subscriptionActions(session), ...refundActions(session), ...disputeActions(session)];
  const title = titles[session.delayed ?? 'paid'];
  return sendPage(
    c,
    { title },
    <>
      <h1>{title}</h1>
      <Amount session={session} />
      <DescriptionList rows={paymentRows(session)} />
      <p>
        <a href={session.successUrl}>Go back to the shop</a>
      </p>
      {actions.length > 0 && <h2>What happens later</h2>}
      <Actions path={`/pay/card/${session.id}`} actions={actions} />
    </>,
  );
};

const titles = { paid: 'Paid', waiting: 'The payment is on its way', failed: 'The payment failed' };

const danger = 'danger' as const;

const delayActions = [
  { step: 'payment-arrives', label: 'Let the payment arrive' },
  { step: 'payment-fails', label: 'Let the payment fail', kind: danger },
];

const subscriptionActions = ({ subscription }: Session) =>
  subscription === null || subscription.status === 'canceled'
    ? []
    : [
        { step: 'renew', label: 'Pay the next period' },
        { step: 'fail-renewal', label: 'Fail to pay the next period' },
        subscription.isCardDeclined
          ? { step: 'accept-card', label: 'Let the card work again' }
          : { step: 'decline-card', label: 'Let the card be declined' },
        { step: 'cancel-subscription', label: 'End the subscription', kind: danger },
      ];

const isRefunded = ({ charge }: Session) => charge === null || charge.refunded >= charge.amount;

const refundActions = (session: Session) =>
  isRefunded(session) ? [] : [{ step: 'refund', label: 'Refund half' }];

const disputeActions = (session: Session) => {
  const { dispute } = session.charge ?? {};
  if (isRefunded(session)) return [];
  if (!dispute) return [{ step: 'dispute', label: 'Dispute the charge', kind: danger }];
  if (dispute.status !== 'needs_response') return [];
  return [
    { step: 'win-dispute', label: 'The shop wins the dispute' },
    { step: 'lose-dispute', label: 'The shop loses the dispute', kind: danger },
  ];
};

const paymentRows = ({ subscription, charge, currency }: Session): [string, string][] => {
  const rows: [string, string][] = [];
  if (subscription) {
    rows.push(['Subscription', subscription.status.replace('_', ' ')]);
    rows.push(['Period ends', formatDay(subscription.periodEnd)]);
  }
  if (charge?.refunded) rows.push(['Refunded', formatMinorUnits(charge.refunded, currency)]);
  return rows;
};

const Amount = ({ session }: { session: Session }) => (
  <p class="amount">
    {formatMinorUnits(sumOf(session.items), session.currency)}
    {session.mode === 'subscription' && <small> {formatInterval(session)}</small>}
  </p>
);

const formatInterval = ({ items }: Session): string => {
  const { interval, count } = items.find(({ recurring }) => recurring)?.recurring ?? {
    interval: 'month',
    count: 1,
  };
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`;
};

const formatPrice = ({ currency }: Session, { unitAmount, quantity }: LineItem): string =>
  quantity === 1
    ? formatMinorUnits(unitAmount, currency)
    : `${quantity} × ${formatMinorUnits(unitAmount, currency)}`;

const formatDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
