/** @jsxImportSource hono/jsx */
import type { Context } from 'hono';
import type { PlatformApp } from '../platform/platform.ts';
import { declineCheckout, laterSteps, payCheckout, takeLaterStep } from './card-events.ts';
import { type LineItem, type Session, statusOf, totalOf } from './card-session.ts';
import { moneyWords } from './money.ts';
import { Choices, Facts, sendNothingHere, sendPage } from './page.tsx';
import type { Payments } from './payments.ts';
import { nowSeconds } from './request-facts.ts';

const path = '/pay/card/:id';

/** Where a browser is sent to pay by card; later, where the months after can be played through. */
export const mountCardPages = (app: PlatformApp, payments: Payments): void => {
  app.get(path, (c) => {
    const session = payments.sessions.get(c.req.param('id'));
    return session ? showSession(c, session) : sendNothingHere(c);
  });
  app.post(path, async (c) => {
    const session = payments.sessions.get(c.req.param('id'));
    if (!session) return sendNothingHere(c);
    const { step } = await c.req.parseBody();
    return takeStep(c, payments, session, String(step));
  });
};

const takeStep = async (c: Context, payments: Payments, session: Session, step: string) => {
  const now = nowSeconds();
  const later = laterSteps.find((name) => name === step);
  if (later) {
    await payments.tellOfCard(takeLaterStep(session, later, now) ?? []);
    return c.redirect(`/pay/card/${session.id}`, 303);
  }
  if (step === 'cancel' && session.cancelUrl) return c.redirect(session.cancelUrl, 303);
  // A second click, or the page of a tab left open: what happened stays as it is.
  if (statusOf(session, now) === 'open') {
    if (step === 'pay') {
      await payments.tellOfCard(payCheckout(session, now));
      return c.redirect(session.successUrl, 303);
    }
    if (step === 'fail') await payments.tellOfCard(declineCheckout(session, now));
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
      <Facts facts={session.items.map((item) => [item.name, priceWords(session, item)])} />
      <Choices
        action={`/pay/card/${session.id}`}
        choices={[
          { step: 'pay', words: 'Pay', kind: 'primary' },
          { step: 'fail', words: 'Fail the payment', kind: 'danger' },
          ...(session.cancelUrl ? [{ step: 'cancel', words: 'Cancel' }] : []),
        ]}
      />
    </>,
  );

const showComplete = (c: Context, session: Session) => {
  const { subscription, charge } = session;
  const isLive = subscription !== null && subscription.status !== 'canceled';
  const isRefundable = charge !== null && charge.refunded < charge.amount;
  return sendPage(
    c,
    { title: 'Paid' },
    <>
      <h1>Paid</h1>
      <Amount session={session} />
      <Facts facts={factsAfter(session)} />
      <p>
        <a href={session.successUrl}>Go back to the shop</a>
      </p>
      {(isLive || isRefundable) && <h2>What happens later</h2>}
      <Choices
        action={`/pay/card/${session.id}`}
        choices={[
          ...(isLive
            ? [
                { step: 'renew', words: 'Pay the next period' },
                { step: 'fail-renewal', words: 'Fail to pay the next period' },
                {
                  step: 'cancel-subscription',
                  words: 'End the subscription',
                  kind: 'danger' as const,
                },
              ]
            : []),
          ...(isRefundable ? [{ step: 'refund', words: 'Refund half' }] : []),
          ...disputeChoices(session),
        ]}
      />
    </>,
  );
};

const disputeChoices = ({ charge }: Session) => {
  if (!charge || charge.refunded === charge.amount) return [];
  if (!charge.dispute)
    return [{ step: 'dispute', words: 'Dispute the charge', kind: 'danger' as const }];
  if (charge.dispute.status !== 'needs_response') return [];
  return [
    { step: 'win-dispute', words: 'The shop wins the dispute' },
    { step: 'lose-dispute', words: 'The shop loses the dispute', kind: 'danger' as const },
  ];
};

const factsAfter = ({ subscription, charge, currency }: Session): [string, string][] => [
  ...(subscription
    ? ([
        ['Subscription', subscription.status.replace('_', ' ')],
        ['Period ends', dayOf(subscription.periodEnd)],
      ] satisfies [string, string][])
    : []),
  ...(charge?.refunded
    ? ([['Refunded', moneyWords(charge.refunded, currency)]] satisfies [string, string][])
    : []),
];

const Amount = ({ session }: { session: Session }) => (
  <p class="amount">
    {moneyWords(totalOf(session), session.currency)}
    {session.mode === 'subscription' && <small> {rhythmOf(session)}</small>}
  </p>
);

const rhythmOf = ({ items }: Session): string => {
  const { interval, count } = items.find(({ recurring }) => recurring)?.recurring ?? {
    interval: 'month',
    count: 1,
  };
  return count === 1 ? `every ${interval}` : `every ${count} ${interval}s`;
};

const priceWords = ({ currency }: Session, { unitAmount, quantity }: LineItem): string =>
  quantity === 1
    ? moneyWords(unitAmount, currency)
    : `${quantity} × ${moneyWords(unitAmount, currency)}`;

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);
