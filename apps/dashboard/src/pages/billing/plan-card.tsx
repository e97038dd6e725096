import type { PayWay } from '@holdfast/contract';
import type { Output } from '@holdfast/sdk';
import { Badge, Group, List, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { useAccount } from '../../parts/use-account.ts';
import { PayForPlan } from './pay-for-plan.tsx';
import { limitLines, planLabels, planPriceWords } from './plan-words.ts';

export type PlanOffer = Output<'listPlans'>[number];

type PlanCardProps = { offer: PlanOffer; payWith: PayWay };

export const PlanCard = ({ offer, payWith }: PlanCardProps) => {
  const { data: account } = useAccount();
  const isOwn = account?.plan === offer.name;
  return (
    <Paper
      withBorder
      p="md"
      component="article"
      aria-label={`The ${planLabels[offer.name]} plan`}
      style={isOwn ? { borderColor: 'var(--mantine-primary-color-filled)' } : undefined}
    >
      <Stack gap="md" h="100%">
        <Group justify="space-between" gap="xs" mih={26}>
          <Title order={3} size="h4">
            {planLabels[offer.name]}
          </Title>
          {isOwn && (
            <Badge variant="light" tt="none">
              Your plan
            </Badge>
          )}
        </Group>
        <Price cents={offer.priceCents} payWith={payWith} />
        <Limits offer={offer} />
        {account && <PayForPlan offer={offer} payWith={payWith} current={account.plan} />}
      </Stack>
    </Paper>
  );
};

const Price = ({ cents, payWith }: { cents: number; payWith: PayWay }) => (
  <Text className="holdfast-number">
    <Text span fw={650} size="xl">
      {planPriceWords(cents)}
    </Text>
    {cents > 0 && (
      <Text span c="dimmed" size="sm">
        {payWith === 'CARD' ? ' a month' : ' for 30 days'}
      </Text>
    )}
  </Text>
);

const Limits = ({ offer }: { offer: PlanOffer }) => (
  <List size="sm" spacing={6} center flex={1} listStyleType="none">
    {limitLines(offer).map(({ words, isIncluded }) => (
      <List.Item key={words} icon={<LimitSign isIncluded={isIncluded} />}>
        <Text span size="sm" c={isIncluded ? undefined : 'dimmed'}>
          {isIncluded ? words : `No ${words.charAt(0).toLowerCase()}${words.slice(1)}`}
        </Text>
      </List.Item>
    ))}
  </List>
);

const LimitSign = ({ isIncluded }: { isIncluded: boolean }) => (
  <ThemeIcon
    size={18}
    radius="xl"
    variant="light"
    color={isIncluded ? undefined : 'gray'}
    aria-hidden
  >
    {isIncluded ? <IconCheck size={12} /> : <IconMinus size={12} />}
  </ThemeIcon>
);
