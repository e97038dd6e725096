import type { OrderStatus } from '@holdfast/contract';
import { Badge } from '@mantine/core';
import { statusWords } from './market-words.ts';

const colors: Record<OrderStatus, string> = {
  PENDING: 'yellow',
  PAID: 'blue',
  FULFILLING: 'blue',
  COMPLETED: 'green',
  CANCELLED: 'gray',
  EXPIRED: 'gray',
  REFUNDED: 'gray',
  FAILED: 'red',
};

export const OrderBadge = ({ status }: { status: OrderStatus }) => (
  <Badge variant="light" color={colors[status]} tt="none" autoContrast>
    {statusWords[status]}
  </Badge>
);
