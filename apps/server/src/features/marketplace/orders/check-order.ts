import type { newOrder, Plan } from '@holdfast/contract';
import type { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import {
  conflict,
  invalidField,
  notAllowed,
  notFound,
  planRefuses,
  type Refusal,
} from '../../../kernel/errors.ts';
import { usedStorageBytes } from '../../backups/objects/queries.ts';
import { countChargedBackups } from '../../backups/queries.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { findListing, type Listing } from '../listings/queries.ts';

export type OrderWish = z.output<typeof newOrder>;
export type Buyer = { accountId: string; plan: string; limits: Plan };

export type CheckedOrder = { listing: Listing; totalCents: number };

/** What speaks against an order, the first thing first; without looking at the buyer's money. */
export const checkOrder = async (
  db: Database | Transaction,
  buyer: Buyer,
  wish: OrderWish,
): Promise<CheckedOrder | { refusal: Refusal }> => {
  const listing = await findListing(db, wish.listingId);
  if (!listing) return { refusal: notFound('Listing') };
  const totalCents = listing.priceCents * wish.quantity;
  const refusal =
    refusalOfListing(listing, totalCents, buyer, wish) ??
    (await refusalOfServer(db, buyer, wish)) ??
    (listing.category === 'TEMPLATE' ? await refusalOfPlan(db, buyer) : undefined);
  return refusal ? { refusal } : { listing, totalCents };
};

const refusalOfListing = (
  { category, sellerId, isPublished }: Listing,
  totalCents: number,
  { accountId }: Buyer,
  { quantity, serverId, maxTotalCents }: OrderWish,
): Refusal | undefined => {
  if (sellerId === accountId) return notAllowed('This listing is your own');
  if (!isPublished) return conflict('This listing is not for sale');
  if (maxTotalCents !== undefined && totalCents > maxTotalCents) {
    return conflict(`It costs ${totalCents} cents now, which is more than you said`);
  }
  if (category !== 'TEMPLATE') return undefined;
  if (serverId === undefined) {
    return invalidField('serverId', 'A template is delivered to one of your servers: name it');
  }
  return quantity === 1 ? undefined : invalidField('quantity', 'Of a template there is one');
};

const refusalOfServer = async (
  db: Database | Transaction,
  { accountId }: Buyer,
  { serverId }: OrderWish,
): Promise<Refusal | undefined> => {
  if (serverId === undefined) return undefined;
  return (await findOwnedServer(db, { accountId, serverId })) ? undefined : notFound('Server');
};

/** Better said before it is paid for. */
const refusalOfPlan = async (
  db: Database | Transaction,
  { accountId, plan, limits }: Buyer,
): Promise<Refusal | undefined> => {
  const { maxBackups, maxStorageBytes } = limits;
  if ((await countChargedBackups(db, accountId)) >= maxBackups) {
    return planRefuses(`The ${plan} plan's limit for backups (${maxBackups}) is reached`);
  }
  return (await usedStorageBytes(db, accountId)) >= maxStorageBytes
    ? planRefuses(`The ${plan} plan's storage (${maxStorageBytes} bytes) is used up`)
    : undefined;
};
