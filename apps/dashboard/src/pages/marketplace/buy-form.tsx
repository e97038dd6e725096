import type { PayWay } from '@holdfast/contract';
import { type Entry, HoldfastError, type Output } from '@holdfast/sdk';
import { Anchor, Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldError } from '../../parts/error-words.ts';
import { ServerSelect, useServers } from '../../parts/server-select.tsx';
import { useAct } from '../../parts/use-act.ts';
import { PayWayChoice } from './pay-way-choice.tsx';
import { priceWords } from './price.ts';

type Listing = Entry<'listListings'>;
type Wish = { serverId?: string; quantity: number; payWith: PayWay; maxTotalCents: number };

/** Places the order and leads to where it is paid, or followed. */
const useBuying = (listingId: string) => {
  const navigate = useNavigate();
  return useAct<Wish, Output<'createOrder'>>(
    (wish) => api.createOrder({ body: { listingId, ...wish } }),
    {
      touches: [['orders'], ['ledger']],
      onDone: ({ id, checkoutUrl }) => {
        if (checkoutUrl) location.assign(checkoutUrl);
        else navigate(`/marketplace/orders/${id}`);
      },
      isQuietOnError: true,
    },
  );
};

/** Where there is one, nobody need choose it. */
const useOnlyServer = (): string => {
  const { data } = useServers();
  const [first, ...others] = data?.data ?? [];
  return first && others.length === 0 ? first.id : '';
};

export const BuyForm = ({ listing }: { listing: Listing }) => {
  const { id, category, priceCents, currency } = listing;
  const isTemplate = category === 'TEMPLATE';
  const [chosen, setChosen] = useState('');
  const onlyServer = useOnlyServer();
  const serverId = chosen || onlyServer;
  const [quantity, setQuantity] = useState<number | string>(1);
  const [payWith, setPayWith] = useState<PayWay>('CARD');
  const buy = useBuying(id);
  const count = isTemplate ? 1 : Number(quantity) || 1;
  const totalCents = priceCents * count;
  const isReady = !isTemplate || serverId !== '';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        const wish = { quantity: count, payWith, maxTotalCents: totalCents };
        buy.mutate(isTemplate ? { ...wish, serverId } : wish);
      }}
    >
      <Stack gap="md">
        {isTemplate ? (
          <ForServer value={serverId} onChange={setChosen} error={buy.error} />
        ) : (
          <Quantity value={quantity} onChange={setQuantity} error={buy.error} />
        )}
        {totalCents > 0 && (
          <PayWayChoice value={payWith} onChange={setPayWith} totalCents={totalCents} />
        )}
        {buy.error && <Refused error={buy.error} />}
        <Group justify="space-between">
          <Text className="holdfast-number">
            In all <b>{priceWords(totalCents, currency)}</b>
          </Text>
          <Button type="submit" loading={buy.isPending || buy.isSuccess} disabled={!isReady}>
            {buttonWords(totalCents, payWith)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const buttonWords = (totalCents: number, payWith: PayWay): string => {
  if (totalCents === 0) return 'Get it';
  return payWith === 'BALANCE' ? 'Buy it' : 'Go on to pay';
};

type QuantityProps = {
  value: number | string;
  onChange: (value: number | string) => void;
  error: unknown;
};

const Quantity = ({ value, onChange, error }: QuantityProps) => (
  <NumberInput
    label="How many"
    value={value}
    onChange={onChange}
    min={1}
    max={100}
    allowDecimal={false}
    maw={160}
    error={fieldError(error, 'quantity')}
  />
);

type ForServerProps = { value: string; onChange: (id: string) => void; error: unknown };

const ForServer = ({ value, onChange, error }: ForServerProps) => {
  const { data } = useServers();
  if (data?.pagination.total === 0) {
    return (
      <Text size="sm">
        A template is delivered to one of your servers.{' '}
        <Anchor component={Link} to="/servers/new" inherit underline="always">
          Add a server first
        </Anchor>
        .
      </Text>
    );
  }
  return (
    <ServerSelect
      label="For which server"
      description="It gets a new backup. Nothing changes there until you restore it."
      value={value}
      onChange={onChange}
      error={fieldError(error, 'serverId')}
    />
  );
};

/** What the plan has no room for is said with where to get more. */
const Refused = ({ error }: { error: unknown }) => (
  <Stack gap="xs">
    <ErrorNote error={error} />
    {error instanceof HoldfastError && error.is('forbidden') && (
      <Anchor component={Link} to="/billing" size="sm">
        Your plan and your balance
      </Anchor>
    )}
  </Stack>
);
