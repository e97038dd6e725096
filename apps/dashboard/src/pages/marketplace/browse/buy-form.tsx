import type { PaymentMethod } from '@holdfast/contract';
import { HoldfastError } from '@holdfast/sdk';
import type { Output } from '@holdfast/sdk/dashboard';
import { Anchor, Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../../../api.ts';
import { FormError, useApiForm } from '../../../components/form.tsx';
import { TextLink } from '../../../components/page.tsx';
import { RadioList, ServerSelect } from '../../../components/select.tsx';
import { formatMoney } from '../../../labels/format.ts';
import { formatPrice, guaranteeLabel } from '../../../labels/marketplace.ts';
import { billingStatusQuery } from '../../../queries/billing.ts';
import { queryKeys } from '../../../queries/query-keys.ts';
import type { BillingStatus, Listing } from '../../../queries/records.ts';
import { allServersQuery } from '../../../queries/servers.ts';
import classes from './buy-form.module.css';
import { HeldMoney } from './held-money.tsx';

/** The only server of the account need not be chosen. */
const useOnlyServer = (): string => {
  const { data } = useQuery(allServersQuery);
  const [first, ...others] = data?.data ?? [];
  return first && others.length === 0 ? first.id : '';
};

type OrderValues = { serverId: string; quantity: number | string; payWith: PaymentMethod };

/** Places the order, then leads to its payment or its page. */
const useOrderForm = ({ id: listingId, category, priceCents }: Listing) => {
  const navigate = useNavigate();
  const isTemplate = category === 'TEMPLATE';
  const onlyServer = useOnlyServer();
  const orderOf = (values: OrderValues) => {
    const quantity = isTemplate ? 1 : Number(values.quantity) || 1;
    return {
      ...{ quantity, payWith: values.payWith, maxTotalCents: priceCents * quantity },
      ...(isTemplate && { serverId: values.serverId || onlyServer }),
    };
  };
  const form = useApiForm<OrderValues, Output<'createOrder'>>(
    { serverId: '', quantity: 1, payWith: 'CARD' },
    (values) => api.createOrder({ body: { listingId, ...orderOf(values) } }),
    {
      invalidates: [queryKeys.orders, queryKeys.ledger],
      onSuccess: ({ id, checkoutUrl }) => {
        if (checkoutUrl) location.assign(checkoutUrl);
        else navigate(`/marketplace/orders/${id}`);
      },
    },
  );
  return { ...form, order: orderOf(form.values), isTemplate };
};

export const BuyForm = ({ listing }: { listing: Listing }) => {
  const form = useOrderForm(listing);
  const { order, isTemplate, action } = form;
  const isReady = !isTemplate || order.serverId !== '';
  return (
    <form onSubmit={form.submit}>
      <Stack gap="md">
        {isTemplate ? (
          <ServerField
            value={order.serverId ?? ''}
            onChange={(id) => form.setFieldValue('serverId', id)}
            error={form.errors.serverId}
          />
        ) : (
          <NumberInput
            label="Quantity"
            min={1}
            max={100}
            allowDecimal={false}
            maw={160}
            {...form.getInputProps('quantity')}
          />
        )}
        {order.maxTotalCents > 0 && (
          <PaymentMethodField
            value={order.payWith}
            onChange={(way) => form.setFieldValue('payWith', way)}
            totalCents={order.maxTotalCents}
          />
        )}
        <FormError error={action.error} isAtFields={form.isErrorAtFields} title={undefined} />
        {action.error instanceof HoldfastError && action.error.is('forbidden') && (
          <Anchor component={Link} to="/billing" size="sm">
            Your plan and your balance
          </Anchor>
        )}
        <Group justify="space-between" className={classes.submit}>
          <Text className="holdfast-number">
            Total <b>{formatPrice(order.maxTotalCents, listing.currency)}</b>
          </Text>
          <Button type="submit" loading={action.isPending || action.isSuccess} disabled={!isReady}>
            {submitLabel(order.maxTotalCents, order.payWith)}
          </Button>
        </Group>
        <HeldMoney>{guaranteeLabel(listing)}</HeldMoney>
      </Stack>
    </form>
  );
};

const submitLabel = (totalCents: number, payWith: PaymentMethod): string => {
  if (totalCents === 0) return 'Get it';
  return payWith === 'BALANCE' ? 'Buy it' : 'Continue to payment';
};

type ServerFieldProps = { value: string; onChange: (id: string) => void; error: ReactNode };

const ServerField = (props: ServerFieldProps) => {
  const { data } = useQuery(allServersQuery);
  if (data?.pagination.total === 0) {
    return (
      <Text size="sm">
        A template is delivered to one of your servers.{' '}
        <TextLink to="/servers/new">Add a server first</TextLink>.
      </Text>
    );
  }
  return (
    <ServerSelect
      label="For which server"
      description="It gets a new backup. Nothing changes there until you restore it."
      {...props}
    />
  );
};

type PaymentMethodFieldProps = {
  value: PaymentMethod;
  onChange: (way: PaymentMethod) => void;
  totalCents: number;
};

const PaymentMethodField = ({ value, onChange, totalCents }: PaymentMethodFieldProps) => {
  const { data: billing } = useQuery(billingStatusQuery);
  const availableCents = billing ? billing.earnedCents - billing.clearingCents : 0;
  const isEnough = availableCents >= totalCents;
  const options: {
    value: PaymentMethod;
    label: string;
    description: string;
    disabled?: boolean;
  }[] = [
    { value: 'CARD', label: 'By card', description: 'On the card provider’s page. Takes seconds.' },
    {
      value: 'CRYPTO',
      label: 'With cryptocurrency',
      description: 'On the provider’s page. Paid once the network has confirmed it.',
    },
    {
      value: 'BALANCE',
      label: 'From your earnings',
      description: earningsMessage(billing, isEnough),
      disabled: !isEnough,
    },
  ];
  const shown = options.filter((option) => option.value !== 'BALANCE' || availableCents > 0);
  return <RadioList label="How to pay" options={shown} value={value} onChange={onChange} />;
};

const earningsMessage = (billing: BillingStatus | undefined, isEnough: boolean): string => {
  if (!billing) return 'Paid at once.';
  const { earnedCents, clearingCents, currency } = billing;
  const amount = formatMoney(earnedCents - clearingCents, currency);
  return isEnough
    ? `Paid at once. You have ${amount} available.`
    : `You have ${amount} available, which is too little. Credit pays for plans.`;
};
