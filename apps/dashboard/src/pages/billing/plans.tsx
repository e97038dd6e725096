import type { PaymentMethod, PlanName } from '@holdfast/contract';
import {
  Badge,
  Box,
  Button,
  Group,
  List,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  ThemeIcon,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconMinus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Loaded } from '../../components/loaded.tsx';
import { Section } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { limitRows, planFeatures, planLabels, planOrder } from '../../labels/billing.ts';
import { choicesOf, formatMoney, formatTime } from '../../labels/format.ts';
import { paymentMethodLabels } from '../../labels/marketplace.ts';
import { accountQuery } from '../../queries/account.ts';
import { billingStatusQuery, plansQuery } from '../../queries/billing.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { CardSubscription, PlanOffer } from '../../queries/records.ts';
import { ChangePlan } from './change-plan.tsx';

const explanations: Record<PaymentMethod, string> = {
  CARD: 'By card a plan renews every month until you cancel it.',
  CRYPTO: 'With cryptocurrency you pay for 30 days. Paying again adds 30 days.',
  BALANCE: 'Your balance pays for 30 days: first from your credit, then from your earnings.',
};

export const PlanComparison = () => {
  const [payWith, setPayWith] = useState<PaymentMethod>('CARD');
  const plans = useQuery(plansQuery);
  return (
    <Section title="Plans" note={explanations[payWith]}>
      <Stack gap="lg">
        <SegmentedControl
          aria-label="How to pay"
          value={payWith}
          onChange={setPayWith}
          data={choicesOf(paymentMethodLabels)}
          style={{ alignSelf: 'flex-start' }}
        />
        <Loaded query={plans} height={420}>
          {(offers) => <PlanCards offers={offers} payWith={payWith} />}
        </Loaded>
        <SmallPrint />
      </Stack>
    </Section>
  );
};

type PlanCardsProps = { offers: PlanOffer[]; payWith: PaymentMethod };

/** On a phone, plans below one's own are folded: their cards would fill two screens. */
const PlanCards = ({ offers, payWith }: PlanCardsProps) => {
  const { data: account } = useQuery(accountQuery);
  const [isOpen, { open }] = useDisclosure(false);
  const own = account ? planOrder.indexOf(account.plan) : 0;
  const isLower = ({ name }: PlanOffer) => planOrder.indexOf(name) < own;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2, xl: 4 }} spacing="md">
        {offers.map((offer) => (
          <Box key={offer.name} visibleFrom={isLower(offer) && !isOpen ? 'sm' : undefined}>
            <PlanCard offer={offer} payWith={payWith} />
          </Box>
        ))}
      </SimpleGrid>
      {offers.some(isLower) && !isOpen && (
        <Button hiddenFrom="sm" variant="default" onClick={open}>
          Show lower plans
        </Button>
      )}
    </>
  );
};

const SmallPrint = () => {
  const { data: billing } = useQuery(billingStatusQuery);
  return (
    <Text size="xs" c="dimmed">
      If you pay for several plans, the highest counts.
      {billing?.card &&
        ' By card, a higher plan begins at once and only the difference for the rest of the period is charged; a lower one begins when the period ends.'}{' '}
      A lower plan deletes nothing: you only cannot add more than it allows.
    </Text>
  );
};

type PlanCardProps = { offer: PlanOffer; payWith: PaymentMethod };

const PlanCard = ({ offer, payWith }: PlanCardProps) => {
  const { data: account } = useQuery(accountQuery);
  const isOwn = account?.plan === offer.name;
  return (
    <Paper
      withBorder
      p="md"
      component="article"
      aria-label={`The ${planLabels[offer.name]} plan`}
      h="100%"
      style={isOwn ? { borderColor: 'var(--mantine-primary-color-filled)' } : undefined}
    >
      <Stack gap="md" h="100%">
        <Group justify="space-between" gap="xs" mih={26}>
          <Title order={3} size="h4">
            {planLabels[offer.name]}
          </Title>
          {isOwn && <Badge>Your plan</Badge>}
        </Group>
        <Price cents={offer.priceCents} payWith={payWith} />
        <Limits offer={offer} />
        {account && <PayForPlan offer={offer} payWith={payWith} current={account.plan} />}
      </Stack>
    </Paper>
  );
};

const Price = ({ cents, payWith }: { cents: number; payWith: PaymentMethod }) => (
  <Text className="holdfast-number">
    <Text span fw={650} size="xl">
      {formatMoney(cents)}
    </Text>
    {cents > 0 && (
      <Text span c="dimmed" size="sm">
        {payWith === 'CARD' ? ' a month' : ' for 30 days'}
      </Text>
    )}
  </Text>
);

const Limits = ({ offer }: { offer: PlanOffer }) => (
  <Stack gap="sm" flex={1}>
    <Stack component="dl" gap={6} m={0}>
      {limitRows(offer).map(({ label, value }) => (
        <Group key={label} justify="space-between" gap="xs" wrap="nowrap">
          <Text component="dt" size="sm" c="dimmed">
            {label}
          </Text>
          <Text component="dd" size="sm" m={0} ta="right" className="holdfast-number">
            {value}
          </Text>
        </Group>
      ))}
    </Stack>
    <List size="sm" spacing={6} center listStyleType="none">
      {planFeatures(offer).map(({ label, isIncluded }) => (
        <List.Item key={label} icon={<LimitIcon isIncluded={isIncluded} />}>
          <Text span size="sm" c={isIncluded ? undefined : 'dimmed'}>
            {isIncluded ? label : `No ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
          </Text>
        </List.Item>
      ))}
    </List>
  </Stack>
);

const LimitIcon = ({ isIncluded }: { isIncluded: boolean }) => (
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

type PayForPlanProps = { offer: PlanOffer; payWith: PaymentMethod; current: PlanName };

/** Leads to the provider's page, or says why there is nothing to pay. */
const PayForPlan = ({ offer, payWith, current }: PayForPlanProps) => {
  const { name, priceCents } = offer;
  const { data: billing } = useQuery(billingStatusQuery);
  const pay = useAction(
    (plan: Exclude<PlanName, 'FREE'>) => api.createInvoice({ body: { plan, payWith } }),
    {
      invalidates: [queryKeys.account, queryKeys.billingEvents, queryKeys.ledger],
      onSuccess: ({ payUrl }) => {
        if (payUrl !== null) location.assign(payUrl);
      },
    },
  );
  const isOwn = name === current;
  const isPaying = pay.isPending || (pay.isSuccess && pay.data.payUrl !== null);
  const rank = planOrder.indexOf(name) - planOrder.indexOf(current);
  const card = payWith === 'CARD' ? billing?.card : undefined;
  if (card && name !== 'FREE' && name !== card.plan) {
    return <ChangePlan to={name} offer={offer} card={card} />;
  }
  if (card && isOwn) return <NoButton>{cardEndLabel(card)}</NoButton>;
  if (name === 'FREE' || rank < 0) return <NoButton>{isOwn ? '' : 'Included in yours'}</NoButton>;
  if (isOwn && billing?.renews === true) return <NoButton>Renews automatically</NoButton>;
  if (isOwn && billing?.provider === null) return <NoButton>Granted by the operator</NoButton>;
  const balanceCents = (billing?.creditCents ?? 0) + Math.max(0, billing?.earnedCents ?? 0);
  if (payWith === 'BALANCE' && balanceCents < priceCents) {
    return <NoButton>{`You have ${formatMoney(balanceCents, billing?.currency)}`}</NoButton>;
  }
  return (
    <Button
      variant={isOwn ? 'default' : 'filled'}
      loading={isPaying}
      onClick={() => pay.mutate(name)}
      fullWidth
    >
      {isOwn ? payAgainLabel(payWith) : `Choose ${planLabels[name]}`}
    </Button>
  );
};

const cardEndLabel = ({ cancelledAt, nextPlan, currentPeriodEnd }: CardSubscription): string =>
  cancelledAt === null && nextPlan === null
    ? 'Renews automatically'
    : `Until ${formatTime(currentPeriodEnd)}`;

const payAgainLabel = (payWith: PaymentMethod): string =>
  payWith === 'CARD' ? 'Pay by card' : 'Pay for 30 days more';

const NoButton = ({ children }: { children: string }) => (
  <Text size="sm" c="dimmed" ta="center" mih={36} pt={8}>
    {children}
  </Text>
);
