import type { billingEndpoints, PaymentProvider, PlanName } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { Actor, Handlers } from '../../../http/handler.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { recordAudit } from '../../audit/queries.ts';
import { lockUser } from '../../accounts/queries.ts';
import type { ChangeTools } from '../subscriptions/change.ts';
import { askProvider, type PayProviders } from './ask-provider.ts';
import { payFromBalance } from './pay-from-balance.ts';
import { type Offer, planCurrency } from './provider.ts';
import { countPayable, insertInvoice, type NewInvoice } from './queries.ts';

export type PayTools = ChangeTools & {
  clock: Clock;
  providers: PayProviders;
  /** What a plan costs for a month. */
  limitsOf(plan: PlanName): { priceCents: number };
};

type CreateInvoice = Pick<Handlers<typeof billingEndpoints>, 'createInvoice'>;

/** So that nobody has the providers make them without end; they are gone in an hour. */
const mostPayable = 50;

export const payHandlers = (tools: PayTools): CreateInvoice => ({
  createInvoice: {
    async askFirst(db, { account: { accountId }, body: { plan, payWith } }) {
      const { priceCents: amountCents } = tools.limitsOf(plan);
      const price = { amountCents, currency: planCurrency };
      if (payWith === 'BALANCE') {
        const wish = { id: newId(), accountId, plan, ...price };
        return async (tx, { actor }) => {
          if (amountCents === 0) throw conflict(freeWords(plan));
          const expiresAt = await payFromBalance(tx, tools, wish, actor);
          return { id: wish.id, payUrl: null, ...price, expiresAt };
        };
      }
      const invoice = { id: newId(), accountId, plan, payWith, ...price };
      const asked = await askForOffer(db, tools, invoice);
      return async (tx, { actor }) => {
        if ('refusal' in asked) throw conflict(asked.refusal);
        const { payUrl, expiresAt } = asked;
        await storeInvoice(tx, tools, { ...invoice, ...asked }, actor);
        return { id: invoice.id, payUrl, ...price, expiresAt };
      };
    },
  },
});

const fullWords = `${mostPayable} invoices wait to be paid already: pay one, or wait until they expire`;

const freeWords = (plan: PlanName): string => `There is nothing to pay for the ${plan} plan`;

type Wish = Omit<NewInvoice, keyof Offer | 'payWith'> & { payWith: PaymentProvider };

const askForOffer = async (
  db: Database,
  { clock, providers }: PayTools,
  { id: invoiceId, accountId, plan, payWith, amountCents }: Wish,
): Promise<Offer | { refusal: string }> => {
  if (amountCents === 0) return { refusal: freeWords(plan) };
  if ((await countPayable(db, accountId, clock.now())) >= mostPayable) return { refusal: fullWords };
  return askProvider(db, providers, payWith, { invoiceId, accountId, plan, amountCents });
};

const storeInvoice = async (
  tx: Transaction,
  { clock }: PayTools,
  invoice: NewInvoice,
  actor: Actor,
): Promise<void> => {
  const { id, accountId, plan, payWith, amountCents, currency } = invoice;
  await lockUser(tx, accountId);
  if ((await countPayable(tx, accountId, clock.now())) >= mostPayable) throw conflict(fullWords);
  await insertInvoice(tx, invoice);
  await recordAudit(tx, {
    accountId,
    actor,
    action: 'invoice.create',
    subject: { type: 'invoice', id },
    changes: { plan, payWith, amountCents, currency },
  });
};
