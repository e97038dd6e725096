import type { Output } from '@holdfast/sdk';
import { Alert, Anchor, Group, SimpleGrid, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Figure } from '../../parts/figure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { useStanding } from '../../parts/use-standing.ts';
import { moneyWords } from '../../parts/words.ts';
import { RequestPayout } from './request-payout.tsx';

type Standing = Output<'getBillingStanding'>;

export const SellerBalance = () => {
  const standing = useStanding();
  return (
    <Section
      title="Balance"
      aside={
        <Anchor component={Link} to="/billing" size="sm">
          Every movement
        </Anchor>
      }
    >
      <Loaded query={standing} height={72}>
        {(found) => <Balance standing={found} />}
      </Loaded>
    </Section>
  );
};

const Balance = ({ standing }: { standing: Standing }) => {
  const { data: account } = useAccount();
  const { earnedCents, currency } = standing;
  const fee = account?.limits.marketplaceFeePercent ?? 0;
  return (
    <>
      {earnedCents < 0 && <OwingNote />}
      <Group justify="space-between" align="flex-end" gap="lg">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xl">
          <Figure
            label="Earned"
            value={moneyWords(earnedCents, currency)}
            hint="Spend it here, or have it paid out"
          />
          <Figure
            label="Fee on each sale"
            value={`${fee.toLocaleString()} %`}
            hint={<FeeHint plan={account?.plan ?? ''} />}
          />
        </SimpleGrid>
        <RequestPayout standing={standing} />
      </Group>
    </>
  );
};

const FeeHint = ({ plan }: { plan: string }) => (
  <>
    On the {plan.toLowerCase()} plan{plan === 'ENTERPRISE' ? ', the highest.' : '. '}
    {plan !== 'ENTERPRISE' && (
      <Anchor component={Link} to="/billing" inherit underline="always">
        Higher plans pay less
      </Anchor>
    )}
  </>
);

const OwingNote = () => (
  <Alert color="yellow" icon={<IconInfoCircle aria-hidden />} mb="md" title="You owe the platform">
    <Text size="sm">
      The card provider gave a buyer their money back after the order was completed, or the buyer
      disputes the payment. So it was taken from you again. Payouts are possible once what you
      earned is above zero.
    </Text>
  </Alert>
);
