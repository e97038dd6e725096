import type { PayWay } from '@holdfast/contract';
import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { useStanding } from '../../parts/use-standing.ts';
import { PlanCard } from './plan-card.tsx';

const explanations: Record<PayWay, string> = {
  CARD: 'By card a plan renews every month by itself, until you cancel it.',
  CRYPTO: 'With cryptocurrency you pay 30 days ahead. Paying again adds 30 days to the end.',
  BALANCE: 'Your balance pays 30 days at once: first your credit, then what you earned.',
};

const waysToPay = [
  { value: 'CARD', label: 'Card' },
  { value: 'CRYPTO', label: 'Cryptocurrency' },
  { value: 'BALANCE', label: 'Balance' },
] as const satisfies { value: PayWay; label: string }[];

export const PlanComparison = () => {
  const [payWith, setPayWith] = useState<PayWay>('CARD');
  const plans = useQuery({
    queryKey: ['plans'],
    queryFn: () => api.listPlans(),
    staleTime: 60_000,
  });
  return (
    <Section title="Plans" note={explanations[payWith]}>
      <Stack gap="lg">
        <SegmentedControl
          aria-label="How to pay"
          value={payWith}
          onChange={setPayWith}
          data={waysToPay}
          style={{ alignSelf: 'flex-start' }}
        />
        <Loaded query={plans} height={420}>
          {(offers) => (
            <SimpleGrid cols={{ base: 1, sm: 2, xl: 4 }} spacing="md">
              {offers.map((offer) => (
                <PlanCard key={offer.name} offer={offer} payWith={payWith} />
              ))}
            </SimpleGrid>
          )}
        </Loaded>
        <SmallPrint />
      </Stack>
    </Section>
  );
};

const SmallPrint = () => {
  const { data: standing } = useStanding();
  return (
    <Text size="xs" c="dimmed">
      Of several plans that are paid for, the highest counts.
      {standing?.renews &&
        ' Another plan by card is a subscription of its own: cancel the one you have at the card provider, or both are charged.'}{' '}
      A lower plan deletes nothing: it only keeps you from adding more than it allows.
    </Text>
  );
};
