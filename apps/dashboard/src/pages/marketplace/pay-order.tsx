import { Button, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { Moment } from '../../parts/moment.tsx';
import { moneyWords } from '../../parts/words.ts';
import type { OwnOrder } from './use-order.ts';

/** The provider's page, in this window: it leads back here. */
export const PayOrder = ({ order }: { order: OwnOrder }) => {
  const { checkoutUrl, totalCents, currency, expiresAt, payWith } = order;
  if (checkoutUrl === null) return null;
  return (
    <Stack gap={4}>
      <Button
        component="a"
        href={checkoutUrl}
        rightSection={<IconExternalLink size={16} aria-hidden />}
      >
        Pay {moneyWords(totalCents, currency)}{' '}
        {payWith === 'CARD' ? 'by card' : 'with cryptocurrency'}
      </Button>
      {expiresAt && (
        <Text size="xs" c="dimmed">
          Can be paid until <Moment at={expiresAt} isExact />
        </Text>
      )}
    </Stack>
  );
};
