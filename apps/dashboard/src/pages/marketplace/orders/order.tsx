import { Box, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Facts, Moment } from '../../../components/display.tsx';
import { Loaded } from '../../../components/list.tsx';
import { BackLink, NotFound, PageHead, Section } from '../../../components/page.tsx';
import { isNotFound } from '../../../labels/errors.ts';
import { formatCount, formatMoney, formatRatio } from '../../../labels/format.ts';
import { formatPrice, paymentMethodLabels } from '../../../labels/marketplace.ts';
import { orderQuery } from '../../../queries/marketplace.ts';
import type { OwnOrder } from '../../../queries/records.ts';
import { OrderNext } from './order-next.tsx';
import { OrderBadge, OrderStepper } from './order-stepper.tsx';

export const Order = () => {
  const { orderId = '' } = useParams();
  const order = useQuery(orderQuery(orderId));
  if (isNotFound(order.error)) return <NotFound />;
  return (
    <Loaded query={order} height={320}>
      {(found) => <Page order={found} />}
    </Loaded>
  );
};

const Page = ({ order }: { order: OwnOrder }) => (
  <>
    <BackLink to={`/marketplace/orders${order.role === 'SELLER' ? '?side=sold' : ''}`}>
      Orders
    </BackLink>
    <PageHead
      title={order.listingTitle}
      description={order.role === 'BUYER' ? 'You ordered this.' : 'Somebody ordered this from you.'}
      actions={<OrderBadge status={order.status} />}
    />
    <Stack gap="lg">
      <Paper withBorder p="lg">
        <OrderStepper order={order} />
        {order.status === 'FULFILLING' && <Delivery order={order} />}
      </Paper>
      <OrderNext order={order} />
      <Section title="Details">
        <OrderFacts order={order} />
      </Section>
    </Stack>
  </>
);

const Delivery = ({ order }: { order: OwnOrder }) => {
  const { progress, delivered, total } = order.fulfillment;
  const amount =
    order.deliveryType === 'AUTOMATIC' ? `${progress} %` : formatRatio(delivered, total);
  return (
    <Box mt="lg">
      <Group justify="space-between" mb={4}>
        <Text size="sm">Delivered so far</Text>
        <Text size="sm" className="holdfast-number">
          {amount}
        </Text>
      </Group>
      <Progress value={progress} size="lg" aria-label="Delivered so far" animated />
    </Box>
  );
};

const OrderFacts = ({ order }: { order: OwnOrder }) => {
  const { quantity, unitPriceCents, totalCents, feeCents, currency, refundedCents } = order;
  const facts = [
    { label: 'Unit price', value: formatPrice(unitPriceCents, currency) },
    { label: 'Quantity', value: formatCount(quantity) },
    { label: 'Total', value: formatPrice(totalCents, currency) },
    ...(order.role === 'SELLER' ? [{ label: 'Fee', value: formatMoney(feeCents, currency) }] : []),
    ...(totalCents > 0 ? [{ label: 'Paid with', value: paymentMethodLabels[order.payWith] }] : []),
    ...(refundedCents > 0
      ? [{ label: 'Refunded to the card', value: formatMoney(refundedCents, currency) }]
      : []),
    { label: 'Placed', value: <Moment at={order.createdAt} isExact /> },
    { label: 'Paid', value: <Moment at={order.paidAt} never="Not yet" isExact /> },
    ...(order.completedAt
      ? [{ label: 'Completed', value: <Moment at={order.completedAt} isExact /> }]
      : []),
  ];
  return <Facts facts={facts} />;
};
