import type { newOrder, Plan } from '@holdfast/contract';
import type { z } from 'zod';
import type { Database, Transaction } from '../../../db/connect.ts';
import {
  conflict,
  forbidden,
  type HttpError,
  invalidField,
  notFound,
} from '../../../kernel/errors.ts';
import { readUsedStorageBytes } from '../../backups/objects/queries.ts';
import { countChargedBackups } from '../../backups/queries.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { findListing, type Listing } from '../queries/listings.ts';

export type OrderRequest = z.output<typeof newOrder>;
type Buyer = { accountId: string; plan: string; limits: Plan };

export type CheckedOrder = { listing: Listing; totalCents: number };

/** Returns the first reason to refuse the order. The buyer's money is checked later. */
export const checkOrder = async (
  db: Database | Transaction,
  buyer: Buyer,
  request: OrderRequest,
): Promise<CheckedOrder | { refusal: HttpError }> => {
  const listing = await findListing(db, request.listingId);
  if (!listing) return { refusal: notFound('Listing') };
  const totalCents = listing.priceCents * request.quantity;
  const refusal =
    checkListing(listing, totalCents, buyer, request) ??
    (await checkServer(db, buyer, request)) ??
    (listing.category === 'TEMPLATE' ? await checkPlan(db, buyer) : undefined);
  return refusal ? { refusal } : { listing, totalCents };
};

const checkListing = (
  { category, sellerId, isPublished }: Listing,
  totalCents: number,
  { accountId }: Buyer,
  { quantity, serverId, maxTotalCents }: OrderRequest,
): HttpError | undefined => {
  if (sellerId === accountId) return forbidden('This listing is your own');
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

const checkServer = async (
  db: Database | Transaction,
  { accountId }: Buyer,
  { serverId }: OrderRequest,
): Promise<HttpError | undefined> => {
  if (serverId === undefined) return undefined;
  return (await findOwnedServer(db, { accountId, serverId })) ? undefined : notFound('Server');
};

/** Refused here, before the order is paid, instead of at its delivery. */
const checkPlan = async (
  db: Database | Transaction,
  { accountId, plan, limits }: Buyer,
): Promise<HttpError | undefined> => {
  const { maxBackups, maxStorageBytes } = limits;
  if ((await countChargedBackups(db, accountId)) >= maxBackups) {
    return forbidden(`The ${plan} plan's limit for backups (${maxBackups}) is reached`);
  }
  return (await readUsedStorageBytes(db, accountId)) >= maxStorageBytes
    ? forbidden(`The ${plan} plan's storage (${maxStorageBytes} bytes) is used up`)
    : undefined;
};
