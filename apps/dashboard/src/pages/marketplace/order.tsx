import { HoldfastError } from '@holdfast/sdk';
import { Box, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useParams } from 'react-router';
import { BackLink } from '../../parts/back-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Section } from '../../parts/section.tsx';
import { countWords } from '../../parts/words.ts';
import { OrderBadge } from './order-badge.tsx';
import { OrderFacts } from './order-facts.tsx';
import { OrderNext } from './order-next.tsx';
import { OrderStepper } from './order-stepper.tsx';
import { type OwnOrder, useOrder } from './use-order.ts';

export const Order = () => {
  const { orderId = '' } = useParams();
  const order = useOrder(orderId);
  const isGone = order.error instanceof HoldfastError && [400, 404].includes(order.error.status);
  if (isGone) return <NotFound />;
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
      <Section title="What was agreed">
        <OrderFacts order={order} />
      </Section>
    </Stack>
  </>
);

const Delivery = ({ order }: { order: OwnOrder }) => {
  const { progress, delivered, total } = order.fulfillment;
  const words =
    order.deliveryType === 'AUTOMATIC'
      ? `${progress} %`
      : `${countWords(delivered)} of ${countWords(total)}`;
  return (
    <Box mt="lg">
      <Group justify="space-between" mb={4}>
        <Text size="sm">Delivered so far</Text>
        <Text size="sm" className="holdfast-number">
          {words}
        </Text>
      </Group>
      <Progress value={progress} size="lg" aria-label="Delivered so far" animated />
    </Box>
  );
};
