import type { ListingCategory, ListingSort, OrderStatus, PaymentMethod } from '@holdfast/contract';
import { type Icon, IconBrush, IconLayout, IconRobot, IconTool } from '@tabler/icons-react';
import type { Listing } from '../queries/records.ts';
import { formatCount, formatMoney, keysOf } from './format.ts';

type CategoryLabels = { label: string; icon: Icon; explanation: string };

export const categoryLabels: Record<ListingCategory, CategoryLabels> = {
  TEMPLATE: {
    label: 'Template',
    icon: IconLayout,
    explanation:
      'A whole server without member data. It arrives as a backup, ready to be restored.',
  },
  DESIGN: {
    label: 'Design',
    icon: IconBrush,
    explanation: 'Icons, banners, emojis. Delivered by the seller.',
  },
  BOT: {
    label: 'Bot',
    icon: IconRobot,
    explanation: 'A bot or a part of one. Delivered by the seller.',
  },
  SERVICE: {
    label: 'Service',
    icon: IconTool,
    explanation: 'Work that somebody does for you. Delivered by the seller.',
  },
};

export const categories = keysOf(categoryLabels);

export const sortLabels: Record<ListingSort, string> = {
  newest: 'Newest first',
  popular: 'Most sold first',
  price_asc: 'Cheapest first',
  price_desc: 'Most expensive first',
  oldest: 'Oldest first',
};

export const paymentMethodLabels: Record<PaymentMethod, string> = {
  CARD: 'Card',
  CRYPTO: 'Cryptocurrency',
  BALANCE: 'Balance',
};

export const orderStatusLabels: Record<OrderStatus, string> = {
  PENDING: 'Waiting for payment',
  PAID: 'Paid',
  FULFILLING: 'Being delivered',
  COMPLETED: 'Completed',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Expired',
  REFUNDED: 'Refunded',
  FAILED: 'Failed',
};

/** Nothing where there were no sales: everything begins so. */
export const salesLabel = (count: number): string | undefined => {
  if (count === 0) return undefined;
  return count === 1 ? 'Sold once' : `Sold ${formatCount(count)} times`;
};

/** Why it is safe to buy. */
export const guaranteeLabel = ({ deliveryType, priceCents }: Offer): string => {
  if (deliveryType === 'AUTOMATIC') {
    return `Delivered in seconds${priceCents > 0 ? '. If that fails, you get your money back' : ''}.`;
  }
  const named = 'The seller sees your username, to hand it over.';
  return priceCents > 0
    ? `Your money is held until you confirm the delivery, at most 14 days after it. ${named}`
    : named;
};

type Offer = Pick<Listing, 'deliveryType' | 'priceCents'>;

type Filter = { search: string | undefined; category: ListingCategory | undefined };

/** "No template matches “pirates”". */
export const nothingFoundLabel = ({ search, category }: Filter): string => {
  const kind = category ? categoryLabels[category].label.toLowerCase() : 'listing';
  return search ? `No ${kind} matches “${search}”` : `No ${kind} is for sale`;
};

export const formatPrice = (cents: number, currency: string): string =>
  cents === 0 ? 'Free' : formatMoney(cents, currency);

/** The value of a field for money, in cents; undefined if it is no price. */
export const parseCents = (value: number | string): number | undefined => {
  const amount = typeof value === 'number' ? value : Number.parseFloat(value);
  return Number.isFinite(amount) && amount >= 0 ? Math.round(amount * 100) : undefined;
};
