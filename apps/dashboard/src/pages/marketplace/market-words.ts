import type { ListingCategory, ListingSort, OrderStatus, PayWay } from '@holdfast/contract';
import { type Icon, IconBrush, IconLayout, IconRobot, IconTool } from '@tabler/icons-react';

type CategoryWords = { label: string; icon: Icon; explanation: string };

export const categoryWords: Record<ListingCategory, CategoryWords> = {
  TEMPLATE: {
    label: 'Template',
    icon: IconLayout,
    explanation: 'A whole server without its people. It arrives as a backup, ready to be restored.',
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

// The record names each category once, so its keys are just these.
export const categories = Object.keys(categoryWords) as ListingCategory[];

export const sortWords: Record<ListingSort, string> = {
  newest: 'Newest first',
  popular: 'Most sold first',
  price_asc: 'Cheapest first',
  price_desc: 'Dearest first',
  oldest: 'Oldest first',
};

export const payWords: Record<PayWay, string> = {
  CARD: 'Card',
  CRYPTO: 'Cryptocurrency',
  BALANCE: 'Balance',
};

export const statusWords: Record<OrderStatus, string> = {
  PENDING: 'Waits to be paid',
  PAID: 'Paid',
  FULFILLING: 'Being delivered',
  COMPLETED: 'Completed',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Expired',
  REFUNDED: 'Refunded',
  FAILED: 'Failed',
};
