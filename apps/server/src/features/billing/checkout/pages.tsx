/** @jsxImportSource hono/jsx */
import type { Hono } from 'hono';
import type { HttpEnv } from '../../../http/context.ts';
import { sendPage } from '../../../http/pages/page.tsx';
import { cancelledPath, paidPath } from './open-checkout.ts';

/** The pages to which the providers send the browser back. Only an event proves a payment, not a visit here. */
export const mountCheckoutPages = (app: Hono<HttpEnv>): void => {
  app.get(paidPath, (context) =>
    sendPage(
      context,
      { title: 'Thank you', tone: 'good' },
      <>
        <h1>Thank you</h1>
        <p role="status">
          Your plan changes, or your order goes on, by itself as soon as the payment provider tells
          us that the money is there. By card that takes seconds, with cryptocurrency until the
          network has confirmed it.
        </p>
        <BackToDashboard />
      </>,
    ),
  );
  app.get(cancelledPath, (context) =>
    sendPage(
      context,
      { title: 'Nothing was paid' },
      <>
        <h1>Nothing was paid</h1>
        <p role="status">You went back before paying. Everything stays as it is.</p>
        <p class="quiet">To pay after all, open the link again, or ask for a new one.</p>
        <BackToDashboard />
      </>,
    ),
  );
};

const BackToDashboard = () => (
  <p>
    <a href="/dashboard/billing">Back to the dashboard</a>
  </p>
);
