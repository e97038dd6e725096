import { Box, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { CopyField } from '../../../components/copy-field.tsx';
import { Facts, Moment, Name, Picture } from '../../../components/display.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { BackLink, NotFound, PageHead, Section, TextLink } from '../../../components/page.tsx';
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
      description={<Parties order={order} />}
      status={<OrderBadge status={order.status} />}
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

/** The other side of the order, and the way to what was ordered. */
const Parties = ({ order: { role, otherParty, listingId, isListed } }: { order: OwnOrder }) => (
  <Group component="span" gap="sm" mt={4}>
    {otherParty ? (
      <Group component="span" gap={6} wrap="nowrap" miw={0}>
        <Picture src={otherParty.avatar} size={24} />
        <Text span size="sm">
          {role === 'BUYER' ? 'Sold by ' : 'Ordered by '}
          {role === 'BUYER' ? (
            <TextLink to={`/marketplace/sellers/${otherParty.id}`}>
              <Name>{otherParty.username}</Name>
            </TextLink>
          ) : (
            <b>
              <Name>{otherParty.username}</Name>
            </b>
          )}
        </Text>
      </Group>
    ) : (
      <Text span size="sm">
        Ordered from you. You see by whom once it is paid.
      </Text>
    )}
    {(isListed || role === 'SELLER') && (
      <Text span size="sm">
        <TextLink to={`/marketplace/listings/${listingId}`}>Open the listing</TextLink>
      </Text>
    )}
  </Group>
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
    ...(quantity > 1
      ? [
          { label: 'Unit price', value: formatPrice(unitPriceCents, currency) },
          { label: 'Quantity', value: formatCount(quantity) },
        ]
      : []),
    { label: 'Total', value: formatPrice(totalCents, currency) },
    ...(order.role === 'SELLER' ? [{ label: 'Fee', value: formatMoney(feeCents, currency) }] : []),
    ...(totalCents > 0
      ? [{ label: 'Payment method', value: paymentMethodLabels[order.payWith] }]
      : []),
    ...(refundedCents > 0
      ? [{ label: 'Refunded to the card', value: formatMoney(refundedCents, currency) }]
      : []),
    { label: 'Placed', value: <Moment at={order.createdAt} isExact /> },
    { label: 'Paid', value: <Moment at={order.paidAt} never="Not yet" isExact /> },
    ...(order.completedAt
      ? [{ label: 'Completed', value: <Moment at={order.completedAt} isExact /> }]
      : []),
  ];
  return (
    <Stack gap="lg">
      <Facts facts={facts} />
      <CopyField label="Order number" value={order.id} />
    </Stack>
  );
};
