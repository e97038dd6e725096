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

const newForDays = 30;

/** How often it was sold; before that, whether it is new. */
export const salesLabel = ({ salesCount, createdAt }: Sold, now = Date.now()): string => {
  if (salesCount > 0) return soldLabel(salesCount);
  return now - Date.parse(createdAt) < newForDays * 86_400_000 ? 'Just listed' : soldLabel(0);
};

type Sold = Pick<Listing, 'salesCount' | 'createdAt'>;

export const soldLabel = (count: number): string =>
  count === 0 ? 'No sales yet' : `${formatCount(count)} sold`;

type BuyingStep = { title: string; text: string };

/** What happens from the order to the delivery. */
export const buyingSteps = ({ deliveryType, priceCents }: Offer): BuyingStep[] =>
  deliveryType === 'AUTOMATIC' ? templateSteps(priceCents > 0) : handDeliverySteps(priceCents > 0);

const templateSteps = (isPaid: boolean): BuyingStep[] => [
  isPaid
    ? { title: 'You pay', text: 'By card, with cryptocurrency or from your earnings.' }
    : { title: 'You order it', text: 'It is free: there is nothing to pay.' },
  {
    title: 'It becomes a backup of your server',
    text: isPaid
      ? 'In seconds, and by itself. If that fails, you get your money back.'
      : 'In seconds, and by itself.',
  },
  {
    title: 'You restore it when you like',
    text: 'You see what would change first. Until then your server stays as it is.',
  },
];

const handDeliverySteps = (isPaid: boolean): BuyingStep[] => [
  isPaid
    ? { title: 'You pay', text: 'The money is held. The seller does not get it yet.' }
    : { title: 'You order it', text: 'It is free: there is nothing to pay.' },
  {
    title: 'The seller delivers',
    text: 'They see your username and write to you on the platform.',
  },
  {
    title: 'You confirm',
    text: 'Once you have everything. 14 days after the delivery it counts as confirmed.',
  },
  ...(isPaid
    ? [
        {
          title: 'The money is released',
          text: 'Only now is the seller paid. Until then you can ask the operator for a refund.',
        },
      ]
    : []),
];

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
