import type { LedgerPot } from '@holdfast/contract';
import { findOrCreateAccount } from '../../../src/features/accounts/queries.ts';
import { post } from '../../../src/features/billing/ledger/post.ts';
import { listings } from '../../../src/features/marketplace/table.ts';
import { newId } from '../../../src/kernel/ids.ts';
import {
  type OwnTenant,
  type Reply,
  randomPlatformId,
  type Tenant,
  type TestService,
} from '../service.ts';

const root = '/api/v1/marketplace';

/** Gives the account money, as if it had been earned. */
export const credit = async (
  { db, accountId }: Pick<OwnTenant, 'db' | 'accountId'>,
  cents: number,
  pot: LedgerPot = 'EARNED',
): Promise<void> => {
  await db.transaction((tx) =>
    post(tx, {
      ...{ type: 'ADJUSTMENT', reference: 'test', currency: 'USD' },
      postings: [
        { accountId, pot, amountCents: cents },
        { account: 'platform:test', amountCents: -cents },
      ],
    }),
  );
};

export const listingBody = (changes: object = {}) => ({
  title: 'A figurehead',
  description: 'Carved for your server.',
  category: 'DESIGN',
  priceCents: 1000,
  currency: 'USD',
  ...changes,
});

export const createListing = async (seller: Tenant, changes: object = {}) => {
  const reply = await seller.call('POST', `${root}/listings`, { body: listingBody(changes) });
  if (reply.status !== 201) throw new Error(`No listing: ${reply.text}`);
  return reply.body.data;
};

type ListingRow = Partial<typeof listings.$inferInsert>;

/** A listing of another seller, inserted by SQL. */
export const insertListing = async (
  { db }: Pick<OwnTenant, 'db'>,
  changes: ListingRow = {},
): Promise<string> => {
  const id = newId();
  const seller = await db.transaction((tx) => findOrCreateAccount(tx, randomPlatformId()));
  await db.insert(listings).values({
    ...{ id, sellerId: seller.id, title: 'A figurehead', description: '', category: 'DESIGN' },
    ...{ priceCents: 0, currency: 'USD', isPublished: true },
    ...changes,
  });
  return id;
};

export const placeOrder = (buyer: Tenant, listingId: string, more: object = {}): Promise<Reply> =>
  buyer.call('POST', `${root}/orders`, { body: { listingId, ...more } });

export const orderOf = async (tenant: Tenant, orderId: string) =>
  (await tenant.call('GET', `${root}/orders/${orderId}`)).body.data;

export const actOn = (tenant: Tenant, orderId: string, act: string, body?: object) =>
  tenant.call('POST', `${root}/orders/${orderId}/${act}`, body ? { body } : {});

type Entry = { pot: LedgerPot; balanceCents: number };

/** The balance of each pot, by its newest entry. */
export const potsOf = async (tenant: Tenant): Promise<Record<LedgerPot, number>> => {
  const data: Entry[] = (await tenant.call('GET', '/api/v1/billing/ledger?limit=100')).body.data;
  const heldIn = (wanted: LedgerPot) => data.find(({ pot }) => pot === wanted)?.balanceCents ?? 0;
  return { EARNED: heldIn('EARNED'), CREDIT: heldIn('CREDIT') };
};

/** Both pots together. */
export const balanceOf = async (tenant: Tenant): Promise<number> => {
  const { EARNED, CREDIT } = await potsOf(tenant);
  return EARNED + CREDIT;
};

/** Its postings, oldest first: `SALE 1000`. */
export const transactionsOf = async (tenant: Tenant): Promise<string[]> => {
  const { data } = (await tenant.call('GET', '/api/v1/billing/ledger?limit=100')).body;
  return data
    .map(({ type, amountCents }: { type: string; amountCents: number }) => `${type} ${amountCents}`)
    .toReversed();
};

/** An order of two pieces between two new accounts; the buyer can pay it from their balance. */
export const orderBetweenNewAccounts = async (service: TestService, payWith = 'CARD') => {
  const seller = await service.newTenant({ plan: 'PREMIUM' });
  const buyer = await service.newTenant();
  if (payWith === 'BALANCE') await credit(buyer, 2000);
  const { id: listingId } = await createListing(seller);
  const { id } = (await placeOrder(buyer, listingId, { payWith, quantity: 2 })).body.data;
  return { seller, buyer, id };
};
